// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.operators;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.TupleHash;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * What was added up for each flow of one window, found by the record of a packet without an object.
 * The place of a flow is that of its {@link TupleHash}, so that nobody can choose flows that share
 * one. One thread.
 */
final class FlowTable<A> {
  private static final int FIRST_SLOTS = 64;

  /** A flow, its hash as the records have it, and what was added up. */
  record Entry<A>(FlowTuple flow, int flowHash, A sum) {}

  private Entry<A>[] slots = newSlots(FIRST_SLOTS);
  private int count;

  int count() {
    return count;
  }

  /** Slots that one search for each flow passes in vain, counted on demand. */
  long slotsPassed() {
    long passed = 0;
    for (int slot = 0; slot < slots.length; slot++) {
      if (slots[slot] != null) {
        passed += slot - slotOf(slots[slot].flow) & slots.length - 1;
      }
    }
    return passed;
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
        PacketRecord.destinationPort(segment, offsetBytes),
        PacketRecord.protocol(segment, offsetBytes));
  }

  private int slotOf(FlowTuple flow) {
    return slotOf(
        flow.sourceHigh(),
        flow.sourceLow(),
        flow.destinationHigh(),
        flow.destinationLow(),
        flow.sourcePort(),
        flow.destinationPort(),
        flow.protocol());
  }

  /** Of a tuple only the IPv4 flag is left out: no more than two flows differ in it alone. */
  private int slotOf(
      long sourceHigh,
      long sourceLow,
      long destinationHigh,
      long destinationLow,
      int sourcePort,
      int destinationPort,
      int protocol) {
    long ports = (long) sourcePort << Short.SIZE | destinationPort;
    long rest = (long) protocol << Integer.SIZE | ports;
    int hash = TupleHash.of(sourceHigh, sourceLow, destinationHigh, destinationLow, rest);
    // Not the highest bits: flows that come back from state come in the order of the slots they had
    // and would crowd at the beginning of a table that is smaller yet.
    return hash & slots.length - 1;
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static <A> Entry<A>[] newSlots(int count) {
    return new Entry[count];
  }
}
