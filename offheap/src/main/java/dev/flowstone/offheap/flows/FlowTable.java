// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * Flows and what a function keeps of each, off the heap, for some of a job's key groups. A bounded
 * number of entries, see {@link FlowEntry}, which stay where they are in {@link #memory} until
 * their flow is removed, or until the next {@link #findOrAdd}. Bounded in flows and bytes; what
 * finds no room is told. One thread.
 *
 * <p>Entries lie in pages of 4 KiB of one key group each, see {@link FlowTablePages}: where memory
 * is short, pages that were saved and left alone may leave it for state, and come back when a flow
 * of theirs has a packet.
 */
public final class FlowTable implements AutoCloseable {
  public static final int PAGE_BYTES = 4096;

  /** Instead of an entry. */
  public static final long NO_ROOM = -1;

  /** Instead of an entry: the flow has no other. */
  public static final long NONE = -1;

  private final FlowLookup lookup;
  private final FlowIndex[] indexes;
  private final MemorySegment memory;
  final FlowPages pages;
  final FlowEviction eviction;

  /**
   * An empty table.
   *
   * @param firstKeyGroup of those that are here
   * @param keyGroups how many
   * @param maxParallelism of the job: how many there are in all
   */
  public FlowTable(FlowTableSize size, int firstKeyGroup, int keyGroups, int maxParallelism) {
    if (size.mostBytes(keyGroups) > FlowIndex.MOST_BYTES) {
      throw new IllegalArgumentException(
          size.mostFlows()
              + " flows of "
              + size.entryBytes()
              + " bytes are too many for one subtask, which has room for "
              + FlowIndex.MOST_BYTES
              + " bytes: use fewer, or a higher parallelism");
    }
    pages = new FlowPages(size, keyGroups);
    memory = pages.segment;
    indexes = new FlowIndex[keyGroups];
    Arrays.setAll(indexes, _ -> new FlowIndex());
    eviction = new FlowEviction(pages, indexes, size);
    lookup = new FlowLookup(pages, eviction, indexes, firstKeyGroup, maxParallelism);
  }

  /** Where all entries lie. */
  public MemorySegment memory() {
    return memory;
  }

  /** In memory, and evicted. */
  public long flows() {
    return eviction.flows();
  }

  /** Flows whose pages have left memory for state. */
  public long evictedFlows() {
    return eviction.evictedFlows();
  }

  /** Pages that left memory since the table was made. */
  public long pagesEvicted() {
    return eviction.pagesEvicted();
  }

  /** Pages that came back since, for a packet of one of their flows. */
  public long pagesBroughtBack() {
    return eviction.pagesBroughtBack();
  }

  /** How often pages that have left memory were looked at since, for their time had come. */
  public long pagesWoken() {
    return eviction.pagesWoken();
  }

  /** Bytes of pages that hold flows. */
  public long usedBytes() {
    return (long) pages.usedPages() * PAGE_BYTES;
  }

  /** Whether memory is in huge pages; without, random access is slower. */
  public boolean isInHugePages() {
    return pages.isInHugePages();
  }

  /**
   * Finds the entries of packets, adds flows that are new, with state of zeros, and counts all of
   * them as changed.
   *
   * @param at where each packet's record lies
   * @param entries takes where each packet's entry lies in {@link #memory}, or {@link #NO_ROOM}:
   *     the same for all packets of one flow that have one; of a flow with several entries the
   *     first, see {@link #nextOf}
   * @return how many found no room
   * @throws IllegalStateException if a packet's key group is not here
   */
  public int findOrAdd(MemorySegment records, long[] at, int count, long[] entries) {
    return lookup.findOrAdd(records, at, count, entries);
  }

  /**
   * Packets, since the table was made, that found no room although it has fewer flows than it may:
   * all pages are taken by other key groups, whose flows left them part empty.
   */
  public long packetsWithoutPage() {
    return lookup.packetsWithoutPage();
  }

  /** Another entry of the same flow, behind all that it has, with state of zeros; or NO_ROOM. */
  public long addBeside(long entry) {
    long beside = eviction.allocate(pages.groupOf(entry));
    if (beside != NO_ROOM) {
      MemorySegment.copy(memory, entry, memory, beside, FlowEntry.KEY_BYTES);
      index(beside);
    }
    return beside;
  }

  /** Makes an entry known that lies on a page already. */
  void index(long entry) {
    indexes[pages.groupOf(entry)].add(FlowEntry.hash(memory, entry), entry);
  }

  /**
   * The flow's entry behind this one, or {@link #NONE}, from the first on, which {@link #findOrAdd}
   * found: in the order in which they were added, but for what was restored.
   */
  public long nextOf(long entry) {
    int hash = FlowEntry.hash(memory, entry);
    FlowIndex index = indexes[pages.groupOf(entry)];
    for (int slot = index.next(index.slotOf(hash, entry));
        index.slots[slot] != FlowIndex.FREE;
        slot = index.next(slot)) {
      long other = FlowIndex.entryOf(index.slots[slot]);
      if (FlowIndex.hashOf(index.slots[slot]) == hash
          && other < eviction.beyond()
          && FlowEntry.isSameFlow(memory, entry, other)) {
        return other;
      }
    }
    return NONE;
  }

  public void remove(long entry) {
    indexes[pages.groupOf(entry)].remove(FlowEntry.hash(memory, entry), entry);
    pages.free(entry);
  }

  /** Says that an entry was changed which did not come from {@link #findOrAdd} just now. */
  public void touch(long entry) {
    pages.change[FlowPages.pageOf(entry)] = pages.use();
  }

  /**
   * Asks for an entry to be looked at when event time has come that far. What was restored is
   * looked at without being asked.
   */
  public void wakeAt(long entry, long timeNs) {
    int page = FlowPages.pageOf(entry);
    pages.wakeNs[page] = Math.min(pages.wakeNs[page], timeNs);
  }

  /**
   * Looks at all entries of the pages on which one asked for a time up to this. Costs a look at 8
   * bytes for each page besides, and for one that has left memory that it is read, and saved if
   * entries change or leave.
   */
  public void wake(long nowNs, FlowWaking function) {
    for (int page = 0; page < pages.end(); page++) {
      if (pages.wakeNs[page] <= nowNs) {
        wakePage(page, function);
      }
    }
    eviction.wake(nowNs, page -> wakePage(page, function));
  }

  private void wakePage(int page, FlowWaking function) {
    long nextNs = Long.MAX_VALUE;
    for (long entry = pages.usedFrom(page, 0); entry != NONE; ) {
      long later = function.wake(entry);
      int after = pages.indexAfter(entry);
      if (later == FlowWaking.REMOVE) {
        remove(entry);
      } else {
        nextNs = Math.min(nextNs, later);
      }
      entry = pages.usedFrom(page, after);
    }
    pages.wakeNs[page] = nextNs;
  }

  /** Looks at every entry in memory; none may be added or removed meanwhile. */
  public void forEach(LongConsumer action) {
    for (int page = 0; page < pages.end(); page++) {
      pages.forEachOn(page, action);
    }
  }

  /** Slots of the index that one search for each flow passes in vain, counted on demand. */
  long slotsPassed() {
    return Arrays.stream(indexes).mapToLong(FlowIndex::slotsPassed).sum();
  }

  /** What the indexes take of the heap, counted on demand. */
  long indexBytes() {
    return Arrays.stream(indexes).mapToLong(index -> (long) index.slots.length * Long.BYTES).sum();
  }

  @Override
  public void close() {
    pages.close();
  }
}
