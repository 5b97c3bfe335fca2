// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.flow;

import dev.flowstone.inspect.count.InspectLimits;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketRecord;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Conversations by their 5-tuple, found from a record without making an object. Open addressing, at
 * most half full, grows with the number of conversations up to the limit.
 */
public final class ConversationTable {
  private static final int FIRST_SLOTS = 256;

  private Conversation[] slots = new Conversation[FIRST_SLOTS];
  private final InspectLimits limits;
  private int size;
  private int flows;

  public ConversationTable(InspectLimits limits) {
    this.limits = limits;
  }

  /** Adds an IP packet's record to its conversation. */
  public void add(MemorySegment segment, long offset, long timeNs, boolean timed) {
    int descriptor = PacketRecord.descriptor(segment, offset);
    boolean ipv4 = PacketRecord.isIpv4(PacketRecord.kind(descriptor));
    int hash = PacketRecord.flowHash(segment, offset);
    int index = firstSlot(hash);
    Conversation found = slots[index];
    while (found != null) {
      if (found.hash == hash && found.tuple.ipv4() == ipv4) {
        Direction sent = Direction.of(found.tuple, segment, offset);
        if (sent != null) {
          if (found.add(sent, PacketRecord.frameLength(descriptor), timeNs, timed)) {
            countFlow();
          }
          return;
        }
      }
      index = index + 1 & slots.length - 1;
      found = slots[index];
    }
    Conversation begun = new Conversation(FlowTuple.of(segment, offset).canonical(), hash);
    Direction sent = Direction.of(begun.tuple, segment, offset);
    begun.add(sent, PacketRecord.frameLength(descriptor), timeNs, timed);
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

  /** The low bits choose the slot, so the hash is mixed first. */
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

  public int conversations() {
    return size;
  }

  /** By direction: 1 or 2 for each conversation. */
  public int flows() {
    return flows;
  }

  /** The largest of the flows that these directions make of the conversations. */
  public List<FlowSummary> top(Direction... directions) {
    TopFlows top = new TopFlows();
    for (Conversation conversation : slots) {
      for (Direction direction : directions) {
        if (conversation != null) {
          top.offer(conversation, direction);
        }
      }
    }
    return top.list();
  }
}
