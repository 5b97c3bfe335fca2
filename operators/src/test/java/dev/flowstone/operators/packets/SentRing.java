// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.operators.SentPacket;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.rules.classify.FirstMatch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** All packets of a ring, to be cut into blocks anywhere. */
record SentRing(long stream, int count, MemorySegment records) {
  static final long INCARNATION = 0x1234_5678_9abc_def0L;
  private static final long START_NS = 1_700_000_000_000_000_000L;
  private static final int[] PORTS = {80, 53, 25, 22, 443};
  private static final int[] FLAGS = {0x10, 0x10, 0x18, 0x02, 0x11, 0x14, 0x00};
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

  static SentRing of(long stream, List<SentPacket> packets) {
    return new SentRing(stream, packets.size(), SentPacket.block(packets).segment());
  }

  /** A few flows to a few ports; one packet in sixteen is without IP. */
  static SentRing random(long stream, int count, Random random) {
    List<SentPacket> packets = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      FlowTuple flow =
          FlowTuple.ipv4(
              random.nextInt(20), 9, random.nextInt(4), PORTS[random.nextInt(PORTS.length)], 6);
      int length = 60 + random.nextInt(1400);
      packets.add(
          new SentPacket(
              random.nextBoolean() ? flow : flow.reversed(),
              START_NS + i * 1000L,
              length,
              FLAGS[random.nextInt(FLAGS.length)]));
    }
    SentRing ring = of(stream, packets);
    for (int i = 0; i < count; i++) {
      if (random.nextInt(16) == 0) {
        ring.takeIpFrom(i);
      }
    }
    return ring;
  }

  void takeIpFrom(int index) {
    long at = (long) index * PacketBlock.RECORD_BYTES;
    records.asSlice(at + PacketRecordLayout.FLOW_HASH_OFFSET, 36).fill((byte) 0);
    records.set(ValueLayout.JAVA_BYTE, at + PacketRecordLayout.TCP_FLAGS_OFFSET, (byte) 0);
    records.set(ValueLayout.JAVA_BYTE, at + PacketRecordLayout.PROTOCOL_OFFSET, (byte) 0);
    records.set(
        INT,
        at + PacketRecordLayout.DESCRIPTOR_OFFSET,
        (RecordKind.OTHER << PacketRecordLayout.KIND_SHIFT) | 60);
  }

  PacketBlock block(int from, int to) {
    return block(from, to, PacketLoss.NONE);
  }

  PacketBlock block(int from, int to, PacketLoss loss) {
    PacketBlockOrigin origin = new PacketBlockOrigin(stream, INCARNATION, from, START_NS, true);
    return PacketBlock.of(origin, records, (long) from * PacketBlock.RECORD_BYTES, to - from, loss);
  }

  static RuledBlock ruled(PacketBlock block, RulesInForce rules) {
    if (rules.size() == 1) {
      return RuledBlock.of(block, rules, 0);
    }
    FirstMatch naive = FirstMatch.of(rules.rules());
    short[] ruleOf = new short[block.count()];
    for (int i = 0; i < ruleOf.length; i++) {
      ruleOf[i] = (short) naive.classify(block.segment(), block.offsetOf(i));
    }
    return RuledBlock.of(block, rules, ruleOf);
  }
}
