// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketRecord;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * Flows and what a function keeps of each, off the heap, for some of a job's key groups. A bounded
 * number of entries, see {@link FlowEntry}, which stay where they are in {@link #memory} as long as
 * their flow is here. Bounded in flows and bytes; what finds no room is told. One thread.
 *
 * <p>Whole blocks of packets are looked up at once, in passes over sixteen of them: first all lines
 * of the index are asked for, then all entries, so that a processor waits for many at a time. The
 * place of a flow in the index is that of a hash that only this process knows, so that nobody can
 * choose flows that lie in one another's way.
 *
 * <p>Entries lie in pages of 4 KiB of one key group each. State is written page by page: a page has
 * a number within its key group that it keeps when it is restored elsewhere.
 */
public final class FlowTable implements AutoCloseable {
  public static final int PAGE_BYTES = 4096;

  /** Instead of an entry. */
  public static final long NO_ROOM = -1;

  /** Instead of an entry: the flow has no other. */
  public static final long NONE = -1;

  private static final int GROUP = 16;
  private static final int MOST_PAGES = (int) (FlowIndex.MOST_BYTES / PAGE_BYTES);

  private final FlowTableSize size;
  private final int firstKeyGroup;
  private final int maxParallelism;
  private final FlowPages pages;
  private final FlowIndex[] indexes;
  private final MemorySegment memory;
  private int flows;

  private final int[] groups = new int[GROUP];
  private final int[] hashes = new int[GROUP];
  private final long[] rests = new long[GROUP];
  private final long[] found = new long[GROUP];

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
    this.size = size;
    this.firstKeyGroup = firstKeyGroup;
    this.maxParallelism = maxParallelism;
    pages = new FlowPages((int) size.pages(keyGroups), size.entryBytes(), keyGroups);
    memory = pages.segment;
    indexes = new FlowIndex[keyGroups];
    Arrays.setAll(indexes, _ -> new FlowIndex());
  }

  /** Where all entries lie. */
  public MemorySegment memory() {
    return memory;
  }

  public int flows() {
    return flows;
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
   * @param entries takes where each packet's entry lies in {@link #memory}, or {@link #NO_ROOM}; of
   *     a flow with several entries any
   * @return how many found no room
   * @throws IllegalStateException if a packet's key group is not here
   */
  public int findOrAdd(MemorySegment records, long[] at, int count, long[] entries) {
    int withoutRoom = 0;
    for (int first = 0; first < count; first += GROUP) {
      int some = Math.min(GROUP, count - first);
      hash(records, at, first, some);
      lookIntoIndexes(some);
      lookAtEntries(some);
      withoutRoom += take(records, at, first, some, entries);
    }
    return withoutRoom;
  }

  /** Apart from the loads below: a processor looks only so many instructions ahead. */
  private void hash(MemorySegment records, long[] at, int first, int count) {
    for (int i = 0; i < count; i++) {
      long record = at[first + i];
      rests[i] = FlowEntry.rest(records, record);
      hashes[i] = FlowEntry.hashOfRecord(records, record, rests[i]);
      groups[i] = groupOf(PacketRecord.flowHash(records, record));
    }
  }

  /** Loads that do not wait for one another; so in the next method. */
  private void lookIntoIndexes(int count) {
    for (int i = 0; i < count; i++) {
      long[] slots = indexes[groups[i]].slots;
      found[i] = slots[hashes[i] & slots.length - 1];
    }
  }

  private int groupOf(int flowHash) {
    int keyGroup = KeyGroups.keyGroup(flowHash, maxParallelism);
    int group = keyGroup - firstKeyGroup;
    if (group < 0 || group >= indexes.length) {
      throw new IllegalStateException(
          String.format(
              "a packet of key group %d came to the subtask that has %d to %d: state by flow needs the"
                  + " blocks of FlowExchange.blocksByFlow, with the parallelism and maximum"
                  + " parallelism of the job",
              keyGroup, firstKeyGroup, firstKeyGroup + indexes.length - 1));
    }
    return group;
  }

  /** A slot with another hash, or none, becomes an entry that is none. */
  private void lookAtEntries(int count) {
    final MemorySegment memory = this.memory;
    for (int i = 0; i < count; i++) {
      long slot = found[i];
      long entry = FlowIndex.entryOf(slot);
      boolean mayBe = slot != FlowIndex.FREE && FlowIndex.hashOf(slot) == hashes[i];
      found[i] = mayBe && FlowEntry.hasRest(memory, entry, rests[i]) ? entry : NONE;
    }
  }

  private int take(MemorySegment records, long[] at, int first, int count, long[] entries) {
    final byte[] change = pages.change;
    int withoutRoom = 0;
    for (int i = 0; i < count; i++) {
      long record = at[first + i];
      long entry = found[i];
      if (entry == NONE || !FlowEntry.isOfRecord(memory, entry, records, record, rests[i])) {
        entry = findOrAdd(records, record, i);
      }
      entries[first + i] = entry;
      if (entry == NO_ROOM) {
        withoutRoom++;
      } else {
        change[FlowPages.pageOf(entry)] = FlowPages.TOUCHED;
      }
    }
    return withoutRoom;
  }

  private long findOrAdd(MemorySegment records, long record, int i) {
    int hash = hashes[i];
    FlowIndex index = indexes[groups[i]];
    for (int slot = index.home(hash);
        index.slots[slot] != FlowIndex.FREE;
        slot = index.next(slot)) {
      long content = index.slots[slot];
      if (FlowIndex.hashOf(content) == hash) {
        long entry = FlowIndex.entryOf(content);
        if (FlowEntry.isOfRecord(memory, entry, records, record, rests[i])) {
          return entry;
        }
      }
    }
    long entry = allocate(groups[i]);
    if (entry != NO_ROOM) {
      FlowEntry.writeKey(memory, entry, records, record, rests[i]);
      index.add(hash, entry);
    }
    return entry;
  }

  private long allocate(int group) {
    if (flows == size.mostFlows()) {
      return NO_ROOM;
    }
    long entry = pages.allocate(group);
    if (entry != NO_ROOM) {
      flows++;
    }
    return entry;
  }

  /** Another entry of the same flow, with state of zeros, or {@link #NO_ROOM}. */
  public long addBeside(long entry) {
    int group = pages.groupOf(entry);
    long beside = allocate(group);
    if (beside != NO_ROOM) {
      MemorySegment.copy(memory, entry, memory, beside, FlowEntry.KEY_BYTES);
      indexes[group].add(FlowEntry.hash(memory, beside), beside);
    }
    return beside;
  }

  /**
   * The first of all entries that the flow of this one has; {@link #nextOf} leads to the others.
   */
  public long firstOf(long entry) {
    int hash = FlowEntry.hash(memory, entry);
    FlowIndex index = indexes[pages.groupOf(entry)];
    return sameFlow(index, index.home(hash), hash, entry);
  }

  /** The flow's entry behind this one, or {@link #NONE}; in no order that means anything. */
  public long nextOf(long entry) {
    int hash = FlowEntry.hash(memory, entry);
    FlowIndex index = indexes[pages.groupOf(entry)];
    return sameFlow(index, index.next(index.slotOf(hash, entry)), hash, entry);
  }

  private long sameFlow(FlowIndex index, int from, int hash, long entry) {
    for (int slot = from; index.slots[slot] != FlowIndex.FREE; slot = index.next(slot)) {
      long content = index.slots[slot];
      if (FlowIndex.hashOf(content) == hash
          && FlowEntry.isSameFlow(memory, FlowIndex.entryOf(content), entry)) {
        return FlowIndex.entryOf(content);
      }
    }
    return NONE;
  }

  public void remove(long entry) {
    indexes[pages.groupOf(entry)].remove(FlowEntry.hash(memory, entry), entry);
    pages.free(entry);
    flows--;
  }

  /** Says that an entry was changed which did not come from {@link #findOrAdd} just now. */
  public void touch(long entry) {
    pages.change[FlowPages.pageOf(entry)] = FlowPages.TOUCHED;
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
   * bytes for each page besides.
   */
  public void wake(long nowNs, FlowWaking function) {
    for (int page = 0; page < pages.end(); page++) {
      if (pages.wakeNs[page] <= nowNs) {
        wakePage(page, function);
      }
    }
  }

  /** Looks at every entry; none may be added or removed meanwhile. */
  public void forEach(LongConsumer action) {
    for (int page = 0; page < pages.end(); page++) {
      forEachOn(page, action);
    }
  }

  private void forEachOn(int page, LongConsumer action) {
    for (long entry = pages.usedFrom(page, 0);
        entry != NONE;
        entry = pages.usedFrom(page, pages.indexAfter(entry))) {
      action.accept(entry);
    }
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

  /** How many key groups are here; groups are counted from 0. */
  public int groups() {
    return indexes.length;
  }

  /** Page numbers of a group are below. */
  public int pageNumbers(int group) {
    return pages.numbers(group).end();
  }

  /** Says that a page is not in state as it is. */
  public void touch(int group, int number) {
    pages.change[pages.numbers(group).page(number)] = FlowPages.TOUCHED;
  }

  /** Whether a page, or its end, is not in state yet. */
  public boolean isChanged(int group, int number) {
    int page = pages.numbers(group).page(number);
    return page == FlowPages.NONE
        ? pages.numbers(group).isVacated(number)
        : pages.change[page] != FlowPages.CLEAN;
  }

  /**
   * Whether a changed page was left alone since this was last asked of it: whoever asks at
   * intervals finds the pages that are worth writing before a checkpoint.
   */
  public boolean settle(int group, int number) {
    int page = pages.numbers(group).page(number);
    if (page == FlowPages.NONE || pages.change[page] != FlowPages.TOUCHED) {
      return isChanged(group, number);
    }
    pages.change[page] = FlowPages.SETTLED;
    return false;
  }

  /** Whether there is such a page. */
  public boolean hasPage(int group, int number) {
    return pages.numbers(group).page(number) != FlowPages.NONE;
  }

  /** Copies a page's entries, as many as there are whole ones. */
  public void copyPage(int group, int number, byte[] target, int offset) {
    long start = FlowPages.startOf(pages.numbers(group).page(number));
    MemorySegment.copy(memory, start, MemorySegment.ofArray(target), offset, pageContentBytes());
  }

  /** Says that a page is in state as it is now. */
  public void saved(int group, int number) {
    int page = pages.numbers(group).page(number);
    if (page == FlowPages.NONE) {
      pages.numbers(group).vacancyIsSaved(number);
    } else {
      pages.change[page] = FlowPages.CLEAN;
    }
  }

  /** Bytes of a page that entries may use. */
  public int pageContentBytes() {
    return PAGE_BYTES / size.entryBytes() * size.entryBytes();
  }

  /**
   * Puts back a page that was saved.
   *
   * @throws IllegalStateException if there is no room for its flows
   */
  public void restorePage(int group, int number, MemorySegment content) {
    if (number < 0 || number >= MOST_PAGES || hasPage(group, number)) {
      throw new IllegalStateException("page " + number + " of the saved flows: damaged state");
    }
    int page = pages.restore(group, number, content);
    forEachOn(page, entry -> index(group, entry));
  }

  private void index(int group, long entry) {
    if (++flows > size.mostFlows()) {
      throw new IllegalStateException(
          "more flows were saved than there is room for, which is "
              + size.mostFlows()
              + ": allow more");
    }
    indexes[group].add(FlowEntry.hash(memory, entry), entry);
  }

  /** Slots of the index that one search for each flow passes in vain, counted on demand. */
  long slotsPassed() {
    return Arrays.stream(indexes).mapToLong(FlowIndex::slotsPassed).sum();
  }

  @Override
  public void close() {
    pages.close();
  }
}
