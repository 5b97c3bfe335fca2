// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import dev.flowstone.offheap.AnonymousMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * Memory for a bounded number of entries, in pages that belong to one key group each as long as one
 * of its entries lives. An entry never crosses a page, and free memory is all zero. One thread.
 */
final class FlowPages implements AutoCloseable {
  static final int NO_PAGE = -1;

  /**
   * From one page to the next, in memory: a line of the cache more than a page, or what entries
   * begin with, which each packet needs, would lie in few of the cache's sets.
   */
  static final int STRIDE_BYTES = FlowTable.PAGE_BYTES + FlowTableSize.LINE_BYTES;

  /** Instead of a time of use: state has the page as it is. */
  static final int CLEAN = 0;

  /** Instead of a time of use: it is long ago, see {@link FlowTablePages#settle}. */
  static final int SETTLED = 1;

  private static final int FIRST_USE = 2;

  private static final int WORD_LOG2 = 6;

  /** Words of a page's mask of used entries: none is shorter than a key. */
  private static final int WORDS = FlowTable.PAGE_BYTES / FlowEntry.KEY_BYTES / Long.SIZE + 1;

  private final AnonymousMemory memory;
  private final int entryBytes;
  private final int stateBytes;
  private final int entriesPerPage;

  /** One more than flows are added to: where evicted pages are looked at. */
  private final int pageCount;

  private final int mostFlows;
  private int flows;
  private int usedPages;
  private int freePage = NO_PAGE;

  /** What pages that are used now have as their time of use. */
  private int use = FIRST_USE;

  /** Pages from here on were never used. */
  private int freshPage;

  final MemorySegment segment;

  /** Of each page: clean, or when it was used last. */
  final int[] change;

  /** Of each page: no entry wants to be looked at before. */
  final long[] wakeNs;

  private final int[] group;
  private final int[] number;
  private final int[] live;
  private final long[] used;

  /** Neighbours in the list of the group's pages with room; of a free page the next free one. */
  private final int[] next;

  private final int[] previous;
  private final int[] withRoom;
  private final PageNumbers[] numbers;

  FlowPages(FlowTableSize size, int groups) {
    pageCount = (int) size.pages(groups) + 1;
    entryBytes = size.entryBytes();
    stateBytes = size.stateBytes();
    mostFlows = size.mostFlows();
    entriesPerPage = size.entriesPerPage();
    change = new int[pageCount];
    wakeNs = new long[pageCount];
    group = new int[pageCount];
    number = new int[pageCount];
    live = new int[pageCount];
    used = new long[WORDS * pageCount];
    next = new int[pageCount];
    previous = new int[pageCount];
    withRoom = new int[groups];
    Arrays.fill(withRoom, NO_PAGE);
    numbers = new PageNumbers[groups];
    Arrays.setAll(numbers, _ -> new PageNumbers());
    memory = new AnonymousMemory((long) pageCount * STRIDE_BYTES);
    segment = memory.segment();
  }

  static int pageOf(long entry) {
    return (int) (entry / STRIDE_BYTES);
  }

  static long startOf(int page) {
    return (long) page * STRIDE_BYTES;
  }

  /** Pages beyond were never used. */
  int end() {
    return freshPage;
  }

  /** All pages: those beyond have left memory. */
  int count() {
    return pageCount;
  }

  int mostFlows() {
    return mostFlows;
  }

  int usedPages() {
    return usedPages;
  }

  int flows() {
    return flows;
  }

  /** Whether there are as many entries as there may be. */
  boolean isFull() {
    return flows == mostFlows;
  }

  int stateBytes() {
    return stateBytes;
  }

  /** Bytes of a page that entries may use. */
  int contentBytes() {
    return entriesPerPage * entryBytes;
  }

  int groups() {
    return numbers.length;
  }

  int groupOf(long entry) {
    return group[pageOf(entry)];
  }

  int groupOfPage(int page) {
    return group[page];
  }

  int numberOfPage(int page) {
    return number[page];
  }

  /** Whether flows are on a page. */
  boolean isInUse(int page) {
    return live[page] > 0;
  }

  int flowsOn(int page) {
    return live[page];
  }

  /** Whether all pages but the one more are taken. */
  boolean isOutOfPages() {
    return usedPages + 1 >= pageCount;
  }

  /** Whether there is room for more flows on more pages. */
  boolean hasRoomFor(int moreFlows, int morePages) {
    return flows + moreFlows <= mostFlows && usedPages + morePages < pageCount;
  }

  PageNumbers numbers(int ofGroup) {
    return numbers[ofGroup];
  }

  boolean isInHugePages() {
    return memory.isInHugePages();
  }

  /** A zeroed entry for a flow of a group, or {@link FlowTable#NO_ROOM}. */
  long allocate(int forGroup) {
    int page = isFull() ? NO_PAGE : pageWithRoom(forGroup);
    if (page == NO_PAGE) {
      return FlowTable.NO_ROOM;
    }
    long entry = startOf(page) + (long) firstFree(page) * entryBytes;
    enter(page, entry);
    change[page] = use;
    return entry;
  }

  private int pageWithRoom(int forGroup) {
    int page = withRoom[forGroup];
    if (page != NO_PAGE) {
      return page;
    }
    if (!hasRoomFor(1, 1)) {
      return NO_PAGE;
    }
    page = take();
    // Only now: where no page is left this would be looked for in vain, for each packet.
    open(page, forGroup, numbers[forGroup].lowestFree());
    return page;
  }

  private int firstFree(int page) {
    int word = 0;
    while (used[page * WORDS + word] == -1L) {
      word++;
    }
    return (word << WORD_LOG2) + Long.numberOfTrailingZeros(~used[page * WORDS + word]);
  }

  /** Of now. */
  int use() {
    return use;
  }

  /** Whether entries of a page may be in use; of others nobody has any. */
  boolean isUsedNow(int page) {
    return change[page] == use;
  }

  /** Begins another time of use. */
  void nextUse() {
    if (use == Integer.MAX_VALUE) {
      Arrays.setAll(change, page -> Math.min(change[page], SETTLED));
      use = FIRST_USE;
    }
    use++;
  }

  private void enter(int page, long entry) {
    flows++;
    used[wordOf(page, entry)] |= bitOf(page, entry);
    if (++live[page] == entriesPerPage) {
      leaveRoom(page);
    }
  }

  private int wordOf(int page, long entry) {
    return page * WORDS + (indexOf(page, entry) >>> WORD_LOG2);
  }

  private long bitOf(int page, long entry) {
    return 1L << indexOf(page, entry);
  }

  private int indexOf(int page, long entry) {
    return (int) (entry - startOf(page)) / entryBytes;
  }

  void free(long entry) {
    int page = pageOf(entry);
    segment.asSlice(entry, entryBytes).fill((byte) 0);
    used[wordOf(page, entry)] &= ~bitOf(page, entry);
    change[page] = use;
    flows--;
    if (live[page]-- == entriesPerPage) {
      enterRoom(page);
    }
    if (live[page] == 0) {
      numbers[group[page]].vacate(number[page]);
      close(page);
    }
  }

  private int take() {
    int page = freePage;
    if (page == NO_PAGE) {
      return freshPage++;
    }
    freePage = next[page];
    return page;
  }

  private void open(int page, int forGroup, int pageNumber) {
    usedPages++;
    group[page] = forGroup;
    number[page] = pageNumber;
    numbers[forGroup].take(pageNumber, page);
    wakeNs[page] = Long.MAX_VALUE;
    enterRoom(page);
  }

  private void close(int page) {
    leaveRoom(page);
    toFree(page);
  }

  private void toFree(int page) {
    usedPages--;
    change[page] = CLEAN;
    wakeNs[page] = Long.MAX_VALUE;
    next[page] = freePage;
    freePage = page;
  }

  /** Frees a page whose flows are elsewhere now. */
  void release(int page) {
    if (live[page] < entriesPerPage) {
      leaveRoom(page);
    }
    flows -= live[page];
    live[page] = 0;
    Arrays.fill(used, page * WORDS, (page + 1) * WORDS, 0);
    segment.asSlice(startOf(page), contentBytes()).fill((byte) 0);
    toFree(page);
  }

  private void enterRoom(int page) {
    int first = withRoom[group[page]];
    next[page] = first;
    previous[page] = NO_PAGE;
    if (first != NO_PAGE) {
      previous[first] = page;
    }
    withRoom[group[page]] = page;
  }

  private void leaveRoom(int page) {
    if (previous[page] == NO_PAGE) {
      withRoom[group[page]] = next[page];
    } else {
      next[previous[page]] = next[page];
    }
    if (next[page] != NO_PAGE) {
      previous[next[page]] = previous[page];
    }
  }

  /** The first used entry of a page from an index on, or {@link FlowTable#NONE}. */
  long usedFrom(int page, int index) {
    for (int i = index; i < entriesPerPage; i++) {
      if ((used[page * WORDS + (i >>> WORD_LOG2)] >>> i & 1) != 0) {
        return startOf(page) + (long) i * entryBytes;
      }
    }
    return FlowTable.NONE;
  }

  int indexAfter(long entry) {
    return indexOf(pageOf(entry), entry) + 1;
  }

  void forEachOn(int page, LongConsumer action) {
    for (long entry = usedFrom(page, 0);
        entry != FlowTable.NONE;
        entry = usedFrom(page, indexAfter(entry))) {
      action.accept(entry);
    }
  }

  /** How many flows a page has that was saved. */
  int flowsIn(MemorySegment saved) {
    int found = 0;
    for (long at = 0; at < contentBytes(); at += entryBytes) {
      found += FlowEntry.isHere(saved, at) ? 1 : 0;
    }
    return found;
  }

  /**
   * Puts a page back that was saved as a group's with this number, and returns it; where there is
   * {@link #hasRoomFor room}, or to the one place more.
   */
  int restore(int toGroup, int pageNumber, MemorySegment saved) {
    int page = take();
    open(page, toGroup, pageNumber);
    wakeNs[page] = Long.MIN_VALUE;
    long start = startOf(page);
    MemorySegment.copy(saved, 0, segment, start, contentBytes());
    for (int i = 0; i < entriesPerPage; i++) {
      long entry = start + (long) i * entryBytes;
      if (FlowEntry.isHere(segment, entry)) {
        enter(page, entry);
      }
    }
    return page;
  }

  @Override
  public void close() {
    memory.close();
  }
}
