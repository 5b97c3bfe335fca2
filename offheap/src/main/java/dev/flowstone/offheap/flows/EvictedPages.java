// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import java.util.Arrays;

/**
 * What is known of pages that have left memory without a look at them. Each has a number here, as
 * long as it is away. One thread.
 */
final class EvictedPages {
  private static final int NONE = -1;

  private int[] group = new int[0];
  private int[] number = new int[0];

  /** How many flows a page has; of a free place the next free one. */
  private int[] flows = new int[0];

  private long[] wakeNs = new long[0];
  private int end;
  private int free = NONE;
  private int pages;
  private long allFlows;

  /** Adds a page by its names in state, and returns its number here. */
  int add(int ofGroup, int ofNumber, int flowCount, long wakesNs) {
    int page = take();
    group[page] = ofGroup;
    number[page] = ofNumber;
    flows[page] = flowCount;
    wakeNs[page] = wakesNs;
    pages++;
    allFlows += flowCount;
    return page;
  }

  private int take() {
    if (free != NONE) {
      int page = free;
      free = flows[page];
      return page;
    }
    if (end == group.length) {
      int length = Math.max(16, 2 * end);
      group = Arrays.copyOf(group, length);
      number = Arrays.copyOf(number, length);
      flows = Arrays.copyOf(flows, length);
      wakeNs = Arrays.copyOf(wakeNs, length);
    }
    return end++;
  }

  void remove(int page) {
    pages--;
    allFlows -= flows[page];
    flows[page] = free;
    free = page;
    number[page] = NONE;
  }

  int group(int page) {
    return group[page];
  }

  int number(int page) {
    return number[page];
  }

  int flows(int page) {
    return flows[page];
  }

  long wakeNs(int page) {
    return wakeNs[page];
  }

  /** Whether there is such a page, and an entry of it may want to be looked at by now. */
  boolean isDue(int page, long nowNs) {
    return number[page] != NONE && wakeNs[page] <= nowNs;
  }

  /** Numbers beyond are of no page. */
  int end() {
    return end;
  }

  int pages() {
    return pages;
  }

  long flows() {
    return allFlows;
  }
}
