// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.model.FlowHash;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.SentRecord;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** What a test sends, and blocks of it as a ring has them. */
public record SentPacket(FlowTuple flow, long timeNs, int frameLength, int tcpFlags) {

  /** A flow for each number. */
  public static FlowTuple flow(int number) {
    return FlowTuple.ipv4(0x0a00_0000 | number >>> 8, 0x0b00_0001, number & 0xff, 443, 6);
  }

  static int keyGroup(FlowTuple flow, int keyGroups) {
    return KeyGroups.keyGroup(FlowHash.of(flow), keyGroups);
  }

  /** Their times less than two seconds from the first one's. */
  public static PacketBlock block(List<SentPacket> packets) {
    MemorySegment records = Arena.ofAuto().allocate(packets.size() * 64L, 64);
    for (int i = 0; i < packets.size(); i++) {
      packets.get(i).write(records, i * 64L);
    }
    PacketBlockOrigin origin = new PacketBlockOrigin(7, 1, 0, packets.getFirst().timeNs(), true);
    return PacketBlock.of(origin, records, 0, packets.size(), PacketLoss.NONE);
  }

  public void write(MemorySegment records, long at) {
    SentRecord.write(records, at, flow, timeNs, frameLength);
    SentRecord.writeTcpFlags(records, at, tcpFlags);
  }
}
