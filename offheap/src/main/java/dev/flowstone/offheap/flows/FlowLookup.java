// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketRecord;
import java.lang.foreign.MemorySegment;

/**
 * Looks up whole blocks of packets, in passes over {@link #BATCH some} of them: first all lines of
 * the index are asked for, then all entries, so that a processor waits for many at a time. The
 * place of a flow in the index is that of a hash that only this process knows, so that nobody can
 * choose flows that lie in one another's way. One thread.
 *
 * <p>All packets of a flow in one block get the same entry, the flow's first, or none: nothing is
 * removed meanwhile, and an index that grows keeps the order of one flow's entries.
 */
final class FlowLookup {
  /** As many loads as a processor can wait for: with half as many it waits a quarter longer. */
  private static final int BATCH = 32;

  private final FlowPages pages;
  private final FlowEviction eviction;
  private final FlowIndex[] indexes;
  private final int firstKeyGroup;
  private final int maxParallelism;
  private final MemorySegment memory;
  private long packetsWithoutPage;

  private final int[] groups = new int[BATCH];
  private final int[] hashes = new int[BATCH];
  private final long[] rests = new long[BATCH];
  private final long[] found = new long[BATCH];

  FlowLookup(
      FlowPages pages,
      FlowEviction eviction,
      FlowIndex[] indexes,
      int firstKeyGroup,
      int maxParallelism) {
    this.pages = pages;
    this.eviction = eviction;
    this.indexes = indexes;
    this.firstKeyGroup = firstKeyGroup;
    this.maxParallelism = maxParallelism;
    memory = pages.segment;
  }

  /** See {@link FlowTable#findOrAdd}. */
  int findOrAdd(MemorySegment records, long[] at, int count, long[] entries) {
    pages.nextUse();
    int withoutRoom = 0;
    for (int first = 0; first < count; first += BATCH) {
      int some = Math.min(BATCH, count - first);
      hash(records, at, first, some);
      lookIntoIndexes(some);
      lookAtEntries(some);
      withoutRoom += take(records, at, first, some, entries);
    }
    return withoutRoom;
  }

  /** See {@link FlowTable#packetsWithoutPage}. */
  long packetsWithoutPage() {
    return packetsWithoutPage;
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

  /** Loads that do not wait for one another; so in the next method. */
  private void lookIntoIndexes(int count) {
    for (int i = 0; i < count; i++) {
      long[] slots = indexes[groups[i]].slots;
      found[i] = slots[hashes[i] & slots.length - 1];
    }
  }

  /** Where no slot has the hash, or one of an evicted flow, the entry is none. */
  private void lookAtEntries(int count) {
    final MemorySegment memory = this.memory;
    final long beyond = eviction.beyond();
    for (int i = 0; i < count; i++) {
      long slot = found[i];
      if (slot != FlowIndex.FREE && FlowIndex.hashOf(slot) != hashes[i]) {
        // Here, not when the entry is wanted: it would be waited for alone.
        slot = indexes[groups[i]].contentOf(hashes[i]);
      }
      long entry = FlowIndex.entryOf(slot);
      boolean mayBe = slot != FlowIndex.FREE && entry < beyond;
      found[i] = mayBe && FlowEntry.hasRest(memory, entry, rests[i]) ? entry : FlowTable.NONE;
    }
  }

  private int take(MemorySegment records, long[] at, int first, int count, long[] entries) {
    final int[] change = pages.change;
    final int use = pages.use();
    int withoutRoom = 0;
    for (int i = 0; i < count; i++) {
      long record = at[first + i];
      long entry = found[i];
      if (entry == FlowTable.NONE
          || !FlowEntry.isOfRecord(memory, entry, records, record, rests[i])) {
        entry = findOrAdd(records, record, i);
      }
      entries[first + i] = entry;
      if (entry == FlowTable.NO_ROOM) {
        withoutRoom++;
        packetsWithoutPage += pages.isOutOfPages() && !pages.isFull() && !eviction.isFull() ? 1 : 0;
      } else {
        change[FlowPages.pageOf(entry)] = use;
      }
    }
    return withoutRoom;
  }

  /** A page that comes back, or leaves for it, changes places in slots, not slots. */
  private long findOrAdd(MemorySegment records, long record, int i) {
    int hash = hashes[i];
    FlowIndex index = indexes[groups[i]];
    for (int slot = index.home(hash);
        index.slots[slot] != FlowIndex.FREE;
        slot = index.next(slot)) {
      if (FlowIndex.hashOf(index.slots[slot]) == hash) {
        long entry = FlowIndex.entryOf(index.slots[slot]);
        if (entry >= eviction.beyond()) {
          if (!eviction.bringBack(entry)) {
            return FlowTable.NO_ROOM;
          }
          entry = FlowIndex.entryOf(index.slots[slot]);
        }
        if (FlowEntry.isOfRecord(memory, entry, records, record, rests[i])) {
          return entry;
        }
      }
    }
    long entry = eviction.allocate(groups[i]);
    if (entry != FlowTable.NO_ROOM) {
      FlowEntry.writeKey(memory, entry, records, record, rests[i]);
      index.add(hash, entry);
    }
    return entry;
  }
}
