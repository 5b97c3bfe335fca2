// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketRecord;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Conversations by their 5-tuple, found from a record without making an object. Open addressing, at
 * most half full, grows with the number of conversations up to the limit.
 */
final class ConversationTable {
  private static final int FIRST_SLOTS = 256;

  private Conversation[] slots = new Conversation[FIRST_SLOTS];
  private final InspectLimits limits;
  private int size;
  private int flows;

  ConversationTable(InspectLimits limits) {
    this.limits = limits;
  }

  /** Adds an IP packet's record to its conversation. */
  void add(MemorySegment segment, long offset, long timeNs, boolean timed) {
    int descriptor = PacketRecord.descriptor(segment, offset);
    boolean ipv4 = PacketRecord.isIpv4(PacketRecord.kind(descriptor));
    int hash = PacketRecord.flowHash(segment, offset);
    int index = firstSlot(hash);
    Conversation found = slots[index];
    while (found != null) {
      if (found.hash == hash && found.tuple.ipv4() == ipv4) {
        boolean forward = RecordTuple.isForward(found.tuple, segment, offset);
        if (forward || RecordTuple.isBackward(found.tuple, segment, offset)) {
          if (found.add(forward, PacketRecord.frameLength(descriptor), timeNs, timed)) {
            countFlow();
          }
          return;
        }
      }
      index = index + 1 & slots.length - 1;
      found = slots[index];
    }
    FlowTuple sent = FlowTuple.of(segment, offset);
    FlowTuple canonical = sent.canonical();
    Conversation begun = new Conversation(canonical, hash);
    begun.add(sent.equals(canonical), PacketRecord.frameLength(descriptor), timeNs, timed);
    slots[index] = begun;
    size++;
    countFlow();
    if (size * 2 > slots.length) {
      grow();
    }
  }

  private void countFlow() {
    flows++;
    limits.requireFlows(flows);
  }

  /** All conversations of a ring agree in some function of the hash: mix it before use. */
  private int firstSlot(int hash) {
    int mixed = hash * 0x9E3779B9;
    return (mixed ^ mixed >>> 16) & slots.length - 1;
  }

  private void grow() {
    Conversation[] old = slots;
    slots = new Conversation[old.length * 2];
    for (Conversation conversation : old) {
      if (conversation != null) {
        int index = firstSlot(conversation.hash);
        while (slots[index] != null) {
          index = index + 1 & slots.length - 1;
        }
        slots[index] = conversation;
      }
    }
  }

  int size() {
    return size;
  }

  /** By direction: 1 or 2 for each conversation. */
  int flows() {
    return flows;
  }

  Stream<Conversation> stream() {
    return Arrays.stream(slots).filter(Objects::nonNull);
  }
}
