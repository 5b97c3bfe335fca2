// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.function.IntConsumer;

/**
 * Makes room in memory by pages that leave it, those first that state has had for longest, and
 * brings one back when a flow of it has a packet. Its flows stay in the index, with places beyond
 * the memory: one slot each is all that is kept of them besides what {@link EvictedPages} knows.
 *
 * <p>Whoever uses entries finds them where they were, for no page leaves that was used now, see
 * {@link FlowPages#isUsedNow}: between two looks into the table. Nor does a page leave on which a
 * flow has one of several entries: whoever has the first finds the others without a look at state.
 * One thread.
 */
final class FlowEviction {
  /** Pages from which the one is chosen that is saved while packets wait. */
  private static final int LOOKS = 16;

  private final FlowPages pages;
  private final FlowIndex[] indexes;
  private final EvictedPages evicted = new EvictedPages();
  private final long mostFlows;
  private final long mostPages;

  /** Pages that state has as they are, or had when they came here. */
  private final PageQueue saved;

  private final byte[] content;
  private FlowPageStore store;
  private long pagesEvicted;
  private long pagesBroughtBack;
  private long pagesWoken;

  /** When a search found no page that may leave; another at the same time of use would not. */
  private int vainUse;

  /** Pages that may not leave before their group is restored. */
  private final BitSet held = new BitSet();

  /** Where a search for pages that are not saved ended. */
  private int hand;

  FlowEviction(FlowPages pages, FlowIndex[] indexes, FlowTableSize size) {
    this.pages = pages;
    this.indexes = indexes;
    mostFlows = (long) size.mostFlows() + size.mostEvictedFlows();
    mostPages = size.evictedPages(indexes.length);
    saved = new PageQueue(pages.count());
    content = new byte[pages.contentBytes()];
  }

  /** From now on pages may leave. */
  void evictTo(FlowPageStore to) {
    store = to;
  }

  /** Entries of evicted pages have places from here on. */
  long beyond() {
    return placeOf(0);
  }

  /** In memory and elsewhere. */
  long flows() {
    return pages.flows() + evicted.flows();
  }

  /** Whether there are as many flows, in memory and elsewhere, as there may be. */
  boolean isFull() {
    return flows() >= mostFlows;
  }

  long evictedFlows() {
    return evicted.flows();
  }

  long pagesEvicted() {
    return pagesEvicted;
  }

  long pagesBroughtBack() {
    return pagesBroughtBack;
  }

  long pagesWoken() {
    return pagesWoken;
  }

  /** Says that state has a page as it is. */
  void isSaved(int page) {
    saved.add(page);
  }

  /** A zeroed entry for a flow of a group, or {@link FlowTable#NO_ROOM}. */
  long allocate(int group) {
    if (isFull()) {
      return FlowTable.NO_ROOM;
    }
    long entry = pages.allocate(group);
    return entry == FlowTable.NO_ROOM && makeRoomForNew() ? pages.allocate(group) : entry;
  }

  private boolean makeRoomForNew() {
    return evictSaved(mostPages) || (mayEvict(mostPages) && store.hasTimeToSave() && evictOld());
  }

  /**
   * Lets a page leave that state has as it is.
   *
   * @param most pages that may have left
   * @return whether there was one
   */
  private boolean evictSaved(long most) {
    while (mayEvict(most) && !saved.isEmpty()) {
      int page = saved.remove();
      if (pages.change[page] == FlowPages.CLEAN && mayLeave(page)) {
        evict(page);
        pagesEvicted++;
        return true;
      }
    }
    return false;
  }

  private boolean mayEvict(long most) {
    return store != null && evicted.pages() < most;
  }

  /** Of some pages the one that was used longest ago, or else any; saves it if it has to be. */
  private boolean evictOld() {
    if (vainUse == pages.use()) {
      return false;
    }
    int page = oldest();
    for (int looks = 0; looks < pages.count() && !mayLeave(page); looks++) {
      page = nextPage();
    }
    if (!mayLeave(page)) {
      vainUse = pages.use();
      return false;
    }
    leave(page);
    pagesEvicted++;
    return true;
  }

  /** By its time of use alone: whether it may leave is not known before its flows are looked up. */
  private int oldest() {
    int oldest = nextPage();
    for (int looks = 1; looks < LOOKS; looks++) {
      int page = nextPage();
      if (pages.isInUse(page)
          && (!pages.isInUse(oldest) || pages.change[page] < pages.change[oldest])) {
        oldest = page;
      }
    }
    return oldest;
  }

  private int nextPage() {
    hand = (hand + 1) % pages.count();
    return hand;
  }

  private boolean mayLeave(int page) {
    return pages.isInUse(page) && !pages.isUsedNow(page) && !held.get(page) && isAlone(page);
  }

  /** Whether each flow that has an entry on a page has no other. */
  private boolean isAlone(int page) {
    FlowIndex index = indexes[pages.groupOfPage(page)];
    for (long entry = pages.usedFrom(page, 0);
        entry != FlowTable.NONE;
        entry = pages.usedFrom(page, pages.indexAfter(entry))) {
      if (!index.isAlone(FlowEntry.hash(pages.segment, entry))) {
        return false;
      }
    }
    return true;
  }

  private void leave(int page) {
    if (pages.change[page] != FlowPages.CLEAN) {
      store.save(pages.groupOfPage(page), pages.numberOfPage(page));
    }
    evict(page);
  }

  private void evict(int page) {
    int group = pages.groupOfPage(page);
    int number = pages.numberOfPage(page);
    int away = evicted.add(group, number, pages.flowsOn(page), pages.wakeNs[page]);
    move(page, FlowPages.startOf(page), placeOf(away));
    pages.release(page);
    pages.numbers(group).take(number, pages.count() + away);
  }

  /** Tells the index that what is on a page in memory is, or was, elsewhere. */
  private void move(int page, long from, long to) {
    FlowIndex index = indexes[pages.groupOfPage(page)];
    long start = FlowPages.startOf(page);
    pages.forEachOn(
        page,
        entry ->
            index.move(
                FlowEntry.hash(pages.segment, entry), entry - start + from, entry - start + to));
  }

  private long placeOf(int evictedPage) {
    return FlowPages.startOf(pages.count() + evictedPage);
  }

  /** Brings the page of an evicted entry back; false: there is no room, and none can be made. */
  boolean bringBack(long entry) {
    int page = FlowPages.pageOf(entry) - pages.count();
    if (!makeRoom(evicted.flows(page), mostPages + FlowTableSize.PAGES_IN_EXCHANGE)) {
      return false;
    }
    comeBack(page);
    pagesBroughtBack++;
    return true;
  }

  /** Room for a page of flows that are known, whatever it takes. */
  private boolean makeRoom(int coming, long most) {
    while (!pages.hasRoomFor(coming, 1)) {
      if (!evictSaved(most) && !(mayEvict(most) && evictOld())) {
        return false;
      }
    }
    return true;
  }

  private int comeBack(int evictedPage) {
    int group = evicted.group(evictedPage);
    int number = evicted.number(evictedPage);
    store.read(group, number, content);
    int page = pages.restore(group, number, MemorySegment.ofArray(content));
    pages.wakeNs[page] = evicted.wakeNs(evictedPage);
    move(page, placeOf(evictedPage), FlowPages.startOf(page));
    evicted.remove(evictedPage);
    saved.add(page);
    return page;
  }

  /**
   * Looks at the entries of evicted pages whose time has come: one page after the other comes to
   * the one place that nobody else gets, and leaves it again.
   */
  void wake(long nowNs, IntConsumer wakePage) {
    for (int each = 0; each < evicted.end(); each++) {
      if (evicted.isDue(each, nowNs)) {
        int page = comeBack(each);
        wakePage.accept(page);
        if (pages.isInUse(page)) {
          leave(page);
        }
        pagesWoken++;
      }
    }
  }

  /**
   * Makes room for a page of flows that are restored.
   *
   * @return whether there is room in memory; else the page comes to the one place more, and {@link
   *     #leaveRestored leaves} it
   * @throws IllegalStateException if there are more flows than there may be
   */
  boolean makeRoomToRestore(int coming) {
    if (flows() + coming > mostFlows) {
      throw tooMany();
    }
    pages.nextUse();
    return makeRoom(coming, mostPages);
  }

  /** Keeps a page in memory until {@link #holdNone}. */
  void hold(int page) {
    held.set(page);
  }

  void holdNone() {
    held.clear();
  }

  /** Lets a page leave that was restored where nobody else may be. */
  void leaveRestored(int page) {
    if (!mayEvict(mostPages) || held.get(page) || !isAlone(page)) {
      throw tooMany();
    }
    leave(page);
  }

  IllegalStateException tooMany() {
    return new IllegalStateException(
        "no room for the flows that were saved, there is room for %,d in memory and %,d in state: allow more"
            .formatted(pages.mostFlows(), mostFlows - pages.mostFlows()));
  }
}
