// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import java.util.Collection;

/**
 * A {@link FlowTable} as state sees it: pages of 4 KiB, of one key group each, which are written
 * and put back as a whole. A page has a number within its key group that it keeps when it is
 * restored elsewhere; groups are counted from 0. One thread, the table's.
 */
public final class FlowTablePages {
  private final FlowTable table;
  private final FlowPages pages;
  private final FlowEviction eviction;

  public FlowTablePages(FlowTable table) {
    this.table = table;
    pages = table.pages;
    eviction = table.eviction;
  }

  /** From now on pages that were saved may leave memory. */
  public void evictTo(FlowPageStore store) {
    eviction.evictTo(store);
  }

  /** How many key groups there are. */
  public int groups() {
    return pages.groups();
  }

  /** Page numbers of a group are below. */
  public int pageNumbers(int group) {
    return pages.numbers(group).end();
  }

  /** Whether there is such a page in memory. */
  public boolean hasPage(int group, int number) {
    return isInMemory(pages.numbers(group).page(number));
  }

  private boolean isInMemory(int page) {
    return page != FlowPages.NO_PAGE && page < pages.count();
  }

  /** Whether a page, or its end, is not in state yet. */
  public boolean isChanged(int group, int number) {
    int page = pages.numbers(group).page(number);
    return page == FlowPages.NO_PAGE
        ? pages.numbers(group).isVacated(number)
        : isInMemory(page) && pages.change[page] != FlowPages.CLEAN;
  }

  /**
   * Whether a changed page was left alone since this was last asked of it: whoever asks at
   * intervals finds the pages that are worth writing before a checkpoint.
   */
  public boolean settle(int group, int number) {
    int page = pages.numbers(group).page(number);
    if (!isInMemory(page) || pages.change[page] <= FlowPages.SETTLED) {
      return isChanged(group, number);
    }
    pages.change[page] = FlowPages.SETTLED;
    return false;
  }

  /** Says that a page is in state as it is now. */
  public void saved(int group, int number) {
    int page = pages.numbers(group).page(number);
    if (page == FlowPages.NO_PAGE) {
      pages.numbers(group).vacancyIsSaved(number);
    } else if (isInMemory(page)) {
      pages.change[page] = FlowPages.CLEAN;
      eviction.isSaved(page);
    }
  }

  /** Bytes of a page that entries may use. */
  public int contentBytes() {
    return pages.contentBytes();
  }

  /**
   * Writes a page's entries as {@link PackedPage} has them.
   *
   * @param target with room for {@link PackedPage#mostBytes}
   * @return how many bytes that took
   */
  public int packPage(int group, int number, byte[] target, int offset) {
    long start = FlowPages.startOf(pages.numbers(group).page(number));
    return PackedPage.pack(pages.segment, start, pages.contentBytes(), target, offset);
  }

  /**
   * Puts the saved pages of a key group back. The flows of a page with entries of another size go
   * wherever there is room: the page loses its number.
   *
   * @throws IllegalStateException if there is no room for all flows
   */
  public void restore(int group, Collection<SavedFlows> saved) {
    new GroupRestoration(table, group).restore(saved);
  }
}
