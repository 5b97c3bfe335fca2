// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The pages of one key group, by the numbers that they have in state: memory may give a page
 * another place after each restart, its number stays. One thread.
 */
final class PageNumbers {
  private final BitSet taken = new BitSet();

  /** Pages that are no more, which state does not know yet. */
  private final BitSet vacated = new BitSet();

  private int[] pages = new int[0];

  /** Numbers beyond were never taken. */
  int end() {
    return Math.max(taken.length(), vacated.length());
  }

  /** The page of a number, or {@link FlowPages#NO_PAGE}. */
  int page(int number) {
    return taken.get(number) ? pages[number] : FlowPages.NO_PAGE;
  }

  int lowestFree() {
    return taken.nextClearBit(0);
  }

  void take(int number, int page) {
    if (number >= pages.length) {
      pages = Arrays.copyOf(pages, Math.max(number + 1, pages.length * 2));
    }
    pages[number] = page;
    taken.set(number);
    vacated.clear(number);
  }

  void vacate(int number) {
    taken.clear(number);
    vacated.set(number);
    if (taken.length() < pages.length / 4) {
      pages = Arrays.copyOf(pages, pages.length / 2);
    }
  }

  boolean isVacated(int number) {
    return vacated.get(number);
  }

  void vacancyIsSaved(int number) {
    vacated.clear(number);
  }
}
