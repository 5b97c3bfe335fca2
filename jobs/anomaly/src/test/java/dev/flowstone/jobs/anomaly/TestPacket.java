// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.SentRecord;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A packet that a test sends, and blocks of it as a ring has them. */
record TestPacket(
    long timeNs, long stream, long position, FlowTuple flow, int tcpFlags, int payloadLength) {
  static final int TCP = 6;
  static final int UDP = 17;
  static final int SYN = 2;
  static final int RST = 4;
  static final int ACK = 16;

  private static final int HEADER_BYTES = 54;
  private static final long MOST_OFF_BASE_NS = 1_000_000_000;

  TestPacket at(long newTimeNs, long newStream, long newPosition) {
    return new TestPacket(newTimeNs, newStream, newPosition, flow, tcpFlags, payloadLength);
  }

  int frameLength() {
    return HEADER_BYTES + payloadLength;
  }

  /** Of one stream, in the order of their positions; as many blocks as times and positions need. */
  static void blocks(List<TestPacket> packets, Consumer<PacketBlock> taker) {
    List<TestPacket> run = new ArrayList<>();
    for (TestPacket packet : packets) {
      if (!run.isEmpty()
          && (Math.abs(packet.timeNs - run.getFirst().timeNs) >= MOST_OFF_BASE_NS
              || packet.position != run.getLast().position + 1
              || run.size() == PacketBlock.MOST_RECORDS)) {
        taker.accept(block(run));
        run.clear();
      }
      run.add(packet);
    }
    if (!run.isEmpty()) {
      taker.accept(block(run));
    }
  }

  private static PacketBlock block(List<TestPacket> packets) {
    MemorySegment records = Arena.ofAuto().allocate(packets.size() * 64L, 64);
    for (int i = 0; i < packets.size(); i++) {
      packets.get(i).write(records, i * 64L);
    }
    TestPacket first = packets.getFirst();
    PacketBlockOrigin origin =
        new PacketBlockOrigin(first.stream, 1, first.position, first.timeNs, true);
    return PacketBlock.of(origin, records, 0, packets.size(), PacketLoss.NONE);
  }

  private void write(MemorySegment records, long at) {
    SentRecord.write(records, at, flow, timeNs, frameLength());
    SentRecord.writeTcpFlags(records, at, tcpFlags);
    SentRecord.writePayloadLength(records, at, payloadLength);
  }
}
