// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import java.io.Serializable;

/**
 * How long entries are, and how many there may be.
 *
 * @param stateBytes the function's bytes of each entry
 * @param mostFlows entries in the table's memory
 * @param mostEvictedFlows how many more there may be, whose pages leave memory for state
 */
public record FlowTableSize(int stateBytes, int mostFlows, int mostEvictedFlows)
    implements Serializable {
  /** An entry does not cross a page. */
  public static final int MOST_STATE_BYTES = FlowTable.PAGE_BYTES - FlowEntry.KEY_BYTES;

  /**
   * Pages that may leave beyond what is allowed, for one that comes back: of a full one for each of
   * its flows a page.
   */
  static final int PAGES_IN_EXCHANGE = FlowTable.PAGE_BYTES / FlowEntry.KEY_BYTES;

  /** Of a cache. */
  static final int LINE_BYTES = 64;

  public FlowTableSize {
    if (!isPossible(stateBytes)) {
      throw new IllegalArgumentException(
          "a flow's state has 0 to "
              + MOST_STATE_BYTES
              + " bytes, since an entry does not cross a page: "
              + stateBytes);
    }
    if (mostFlows < 1) {
      throw new IllegalArgumentException("room for one flow or more: " + mostFlows);
    }
    if (mostEvictedFlows < 0) {
      throw new IllegalArgumentException("0 evicted flows or more: " + mostEvictedFlows);
    }
  }

  /** All of them in memory. */
  public FlowTableSize(int stateBytes, int mostFlows) {
    this(stateBytes, mostFlows, 0);
  }

  public static boolean isPossible(int stateBytes) {
    return stateBytes >= 0 && stateBytes <= MOST_STATE_BYTES;
  }

  /**
   * Key and state, in whole words: in whole cache lines, if a page holds as many of them. Then an
   * entry's first bytes, which each packet needs, lie in one line.
   */
  public int entryBytes() {
    int words = roundUp(FlowEntry.KEY_BYTES + stateBytes, Long.BYTES);
    int lines = roundUp(words, LINE_BYTES);
    return FlowTable.PAGE_BYTES / lines == FlowTable.PAGE_BYTES / words ? lines : words;
  }

  private static int roundUp(int bytes, int unit) {
    return (bytes + unit - 1) / unit * unit;
  }

  /** Bytes of a page that entries may use. */
  public int contentBytes() {
    return entriesPerPage() * entryBytes();
  }

  int entriesPerPage() {
    return FlowTable.PAGE_BYTES / entryBytes();
  }

  /**
   * Most memory for entries. Pages that are not full, since they are of one key group each, may
   * take a quarter of the flows' own, and one page for each group.
   */
  public long mostBytes(int keyGroups) {
    return (pages(keyGroups) + 1) * FlowPages.STRIDE_BYTES;
  }

  long pages(int keyGroups) {
    long flowPages = mostFlows / entriesPerPage() + 1L;
    return flowPages + flowPages / 4 + keyGroups;
  }

  /**
   * Pages that may leave memory, where flows leave them one by one: as many as flows, but no more
   * than an index can tell from those that are there.
   */
  long evictedPages(int keyGroups) {
    long pagesLeft =
        (FlowIndex.MOST_BYTES - mostBytes(keyGroups)) / FlowPages.STRIDE_BYTES - PAGES_IN_EXCHANGE;
    return Math.clamp(pagesLeft, 0, mostEvictedFlows);
  }
}
