// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import java.util.BitSet;

/** Pages in the order in which they came, each once. One thread. */
final class PageQueue {
  private final int[] pages;
  private final BitSet waiting;
  private int first;
  private int count;

  PageQueue(int mostPages) {
    pages = new int[mostPages];
    waiting = new BitSet(mostPages);
  }

  /** A page that waits already keeps its place. */
  void add(int page) {
    if (!waiting.get(page)) {
      waiting.set(page);
      pages[(first + count++) % pages.length] = page;
    }
  }

  boolean isEmpty() {
    return count == 0;
  }

  int remove() {
    int page = pages[first];
    first = (first + 1) % pages.length;
    count--;
    waiting.clear(page);
    return page;
  }
}
