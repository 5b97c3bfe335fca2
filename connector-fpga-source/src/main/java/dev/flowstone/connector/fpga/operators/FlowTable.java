// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.operators;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketRecord;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * What was added up for each flow of one window, found by the record of a packet without an object.
 * The place of a flow depends on a random number, so that nobody can choose flows that share one.
 * One thread.
 */
final class FlowTable<A> {
  private static final long SEED = new SplittableRandom().nextLong();
  private static final long FACTOR = 0x9E3779B97F4A7C15L;
  private static final int FIRST_SLOTS = 64;

  /** A flow, its hash as the records have it, and what was added up. */
  record Entry<A>(FlowTuple flow, int flowHash, A sum) {}

  private Entry<A>[] slots = newSlots(FIRST_SLOTS);
  private int count;

  int count() {
    return count;
  }

  /** The sum of a packet's flow, or null. */
  A find(MemorySegment segment, long offsetBytes) {
    for (int slot = slotOf(segment, offsetBytes); ; slot = slot + 1 & slots.length - 1) {
      Entry<A> entry = slots[slot];
      if (entry == null) {
        return null;
      }
      if (entry.flow.isOf(segment, offsetBytes)) {
        return entry.sum;
      }
    }
  }

  /** Adds a flow that is not here yet. */
  void add(Entry<A> entry) {
    // Never more than half full, so that a free slot is near.
    if (count >= slots.length / 2) {
      grow();
    }
    put(entry);
    count++;
  }

  private void put(Entry<A> entry) {
    int slot = slotOf(entry.flow);
    while (slots[slot] != null) {
      slot = slot + 1 & slots.length - 1;
    }
    slots[slot] = entry;
  }

  private void grow() {
    Entry<A>[] former = slots;
    slots = newSlots(former.length * 2);
    Arrays.stream(former).filter(Objects::nonNull).forEach(this::put);
  }

  void forEach(Consumer<Entry<A>> action) {
    for (Entry<A> entry : slots) {
      if (entry != null) {
        action.accept(entry);
      }
    }
  }

  private int slotOf(MemorySegment segment, long offsetBytes) {
    return slotOf(
        PacketRecord.sourceAddressHigh(segment, offsetBytes),
        PacketRecord.sourceAddressLow(segment, offsetBytes),
        PacketRecord.destinationAddressHigh(segment, offsetBytes),
        PacketRecord.destinationAddressLow(segment, offsetBytes),
        PacketRecord.sourcePort(segment, offsetBytes),
        PacketRecord.destinationPort(segment, offsetBytes));
  }

  private int slotOf(FlowTuple flow) {
    return slotOf(
        flow.sourceHigh(),
        flow.sourceLow(),
        flow.destinationHigh(),
        flow.destinationLow(),
        flow.sourcePort(),
        flow.destinationPort());
  }

  private int slotOf(
      long sourceHigh,
      long sourceLow,
      long destinationHigh,
      long destinationLow,
      int sourcePort,
      int destinationPort) {
    long hash = mix(SEED ^ sourceHigh);
    hash = mix(hash ^ sourceLow);
    hash = mix(hash ^ destinationHigh);
    hash = mix(hash ^ destinationLow);
    hash = mix(hash ^ ((long) sourcePort << Short.SIZE | destinationPort));
    return (int) hash & slots.length - 1;
  }

  private static long mix(long word) {
    long product = word * FACTOR;
    return product ^ product >>> 32;
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static <A> Entry<A>[] newSlots(int count) {
    return new Entry[count];
  }
}
