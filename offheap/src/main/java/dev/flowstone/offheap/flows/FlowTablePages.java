// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import java.lang.foreign.MemorySegment;

/**
 * A {@link FlowTable} as state sees it: pages of 4 KiB, of one key group each, which are written
 * and put back as a whole. A page has a number within its key group that it keeps when it is
 * restored elsewhere; groups are counted from 0. One thread, the table's.
 */
public final class FlowTablePages {
  private static final int MOST_PAGES = (int) (FlowIndex.MOST_BYTES / FlowPages.STRIDE_BYTES);

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
   * Puts back a page that was saved.
   *
   * @param content of {@link PackedPage#unpack}
   * @param isSaved whether state, from now on, has it as it is
   * @throws IllegalStateException if there is no room for its flows
   */
  public void restorePage(int group, int number, MemorySegment content, boolean isSaved) {
    require(number, number >= 0 && number < MOST_PAGES);
    require(number, pages.numbers(group).page(number) == FlowPages.NO_PAGE);
    boolean stays = eviction.makeRoomToRestore(pages.flowsIn(content));
    int page = pages.restore(group, number, content);
    pages.forEachOn(page, table::index);
    if (isSaved) {
      eviction.isSaved(page);
    } else {
      pages.change[page] = pages.use();
    }
    if (!stays) {
      eviction.leaveRestored(page);
    }
  }

  private static void require(int number, boolean isPossible) {
    if (!isPossible) {
      throw new IllegalStateException("page " + number + " of the saved flows: damaged state");
    }
  }

  /**
   * Puts the flows of a page back that was saved with entries of another size, wherever there is
   * room: what entries here have less is cut off, what they have more is zeros.
   *
   * @throws IllegalStateException if there is no room for its flows
   */
  public void restoreFlows(int group, int number, MemorySegment content, FlowTableSize saved) {
    require(number, number >= 0 && number < MOST_PAGES);
    int bytes = FlowEntry.KEY_BYTES + Math.min(saved.stateBytes(), pages.stateBytes());
    for (long at = 0; at < saved.contentBytes(); at += saved.entryBytes()) {
      if (FlowEntry.isHere(content, at)) {
        long entry = pages.allocate(group);
        if (entry == FlowTable.NO_ROOM) {
          entry = eviction.makeRoomToRestore(1) ? pages.allocate(group) : FlowTable.NO_ROOM;
        }
        if (entry == FlowTable.NO_ROOM) {
          throw eviction.tooMany();
        }
        MemorySegment.copy(content, at, pages.segment, entry, bytes);
        table.index(entry);
        table.wakeAt(entry, Long.MIN_VALUE);
      }
    }
  }
}
