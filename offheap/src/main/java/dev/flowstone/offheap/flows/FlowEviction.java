// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;

/**
 * Makes room in memory by pages that leave it, those first that were left alone for longest, and
 * brings one back when a flow of it has a packet. Its flows stay in the index, with places beyond
 * the memory: one slot each is all that is kept of them besides what {@link EvictedPages} knows.
 *
 * <p>Whoever uses entries finds them where they were, for no page leaves that was used now, see
 * {@link FlowPages#isUsedNow}: between two looks into the table. Nor does a page leave on which a
 * flow has one of several entries: whoever has one of them finds the others without a look at
 * state. One thread.
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

  long evictedFlows() {
    return evicted.flows();
  }

  long pagesEvicted() {
    return pagesEvicted;
  }

  long pagesBroughtBack() {
    return pagesBroughtBack;
  }

  /** Says that state has a page as it is. */
  void isSaved(int page) {
    saved.add(page);
  }

  /** A zeroed entry for a flow of a group, or {@link FlowTable#NO_ROOM}. */
  long allocate(int group) {
    if (flows() >= mostFlows) {
      return FlowTable.NO_ROOM;
    }
    long entry = pages.allocate(group);
    return entry == FlowTable.NO_ROOM && makeRoom(mostPages) ? pages.allocate(group) : entry;
  }

  /**
   * Lets a page leave: one that state has as it is, or else another that is saved first.
   *
   * @param most pages that may have left
   * @return whether there was one
   */
  private boolean makeRoom(long most) {
    while (mayEvict(most) && !saved.isEmpty()) {
      int page = saved.remove();
      if (pages.change[page] == FlowPages.CLEAN && mayLeave(page)) {
        evict(page);
        return true;
      }
    }
    return mayEvict(most) && store.hasTimeToSave() && saveAndEvictOne(LOOKS);
  }

  private boolean mayEvict(long most) {
    return store != null && evicted.pages() < most;
  }

  /** The one of several that was not used for longest. */
  private boolean saveAndEvictOne(int looks) {
    int oldest = FlowPages.NO_PAGE;
    for (int i = 0; i < looks; i++) {
      hand = (hand + 1) % pages.count();
      if (!pages.isUsedNow(hand)
          && (oldest == FlowPages.NO_PAGE || pages.change[hand] < pages.change[oldest])
          && mayLeave(hand)) {
        oldest = hand;
      }
    }
    if (oldest == FlowPages.NO_PAGE) {
      return false;
    }
    store.save(pages.groupOfPage(oldest), pages.numberOfPage(oldest));
    evict(oldest);
    return true;
  }

  private boolean mayLeave(int page) {
    return pages.isInUse(page) && isAlone(page);
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

  private void evict(int page) {
    int group = pages.groupOfPage(page);
    int number = pages.numberOfPage(page);
    int place = evicted.add(group, number, pages.flowsOn(page), pages.wakeNs[page]);
    move(page, FlowPages.startOf(page), placeOf(place));
    pages.release(page);
    pages.numbers(group).take(number, pages.count() + place);
    pagesEvicted++;
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
    while (!pages.hasRoomFor(evicted.flows(page), 1)) {
      // The place of the one that comes back will be free.
      if (!makeRoom(mostPages + 1)) {
        return false;
      }
    }
    comeBack(page);
    pagesBroughtBack++;
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
          leaveAgain(page);
        }
      }
    }
  }

  private void leaveAgain(int page) {
    if (pages.change[page] != FlowPages.CLEAN) {
      store.save(pages.groupOfPage(page), pages.numberOfPage(page));
    }
    evict(page);
  }

  /**
   * Makes room for a page of flows that are restored, by pages that are saved now if they have to
   * be: nobody uses entries yet.
   *
   * @throws IllegalStateException if there is no room
   */
  void makeRoomToRestore(int coming) {
    if (flows() + coming > mostFlows) {
      throw tooMany();
    }
    makeRoomInMemory(coming);
  }

  private void makeRoomInMemory(int coming) {
    while (!pages.hasRoomFor(coming, 1)) {
      if (!makeRoom(mostPages) && !(mayEvict(mostPages) && saveAndEvictOne(pages.count()))) {
        throw tooMany();
      }
    }
  }

  private IllegalStateException tooMany() {
    return new IllegalStateException(
        "more flows were saved than there is room for, which is %,d in memory and %,d in state: allow more"
            .formatted(pages.mostFlows(), mostFlows - pages.mostFlows()));
  }

  /** Brings back what may be another entry of a flow that was restored, so that none is alone. */
  void bringBackOthers(int group, int hash) {
    FlowIndex index = indexes[group];
    for (int slot = index.home(hash);
        index.slots[slot] != FlowIndex.FREE;
        slot = index.next(slot)) {
      long other = FlowIndex.entryOf(index.slots[slot]);
      if (FlowIndex.hashOf(index.slots[slot]) == hash && other >= beyond()) {
        int page = FlowPages.pageOf(other) - pages.count();
        makeRoomInMemory(evicted.flows(page));
        comeBack(page);
      }
    }
  }
}
