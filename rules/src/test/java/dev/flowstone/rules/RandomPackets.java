// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** Packets that lie at the edges of what rules ask: first, last, one before, one behind. */
public final class RandomPackets {
  private static final ValueLayout.OfLong NETWORK =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final int[] KINDS = {
    RecordKind.IPV4,
    RecordKind.IPV4,
    RecordKind.IPV6,
    RecordKind.IPV6,
    RecordKind.OTHER,
    RecordKind.IPV4_ENCAPSULATED,
    RecordKind.IPV6_ENCAPSULATED
  };

  private final RuleSet rules;
  private final SplittableRandom random;

  public RandomPackets(RuleSet rules, long seed) {
    this.rules = rules;
    random = new SplittableRandom(seed);
  }

  public void fill(MemorySegment records, int count) {
    for (int i = 0; i < count; i++) {
      fill(records, i * PacketRecordLayout.SIZE_BYTES);
    }
  }

  private void fill(MemorySegment records, long record) {
    Match near = rules.rules().get(random.nextInt(rules.size())).match();
    int kind = KINDS[random.nextInt(KINDS.length)];
    boolean ipv4 = kind == RecordKind.IPV4 || kind == RecordKind.IPV4_ENCAPSULATED;
    putAddress(records, record + PacketRecordLayout.SOURCE_ADDRESS_OFFSET, near.source(), ipv4);
    putAddress(
        records, record + PacketRecordLayout.DESTINATION_ADDRESS_OFFSET, near.destination(), ipv4);
    records.set(SHORT, record + PacketRecordLayout.SOURCE_PORT_OFFSET, port(near.sourcePort()));
    records.set(
        SHORT, record + PacketRecordLayout.DESTINATION_PORT_OFFSET, port(near.destinationPort()));
    putByte(records, record + PacketRecordLayout.PROTOCOL_OFFSET, near.protocol(), 6);
    putByte(records, record + PacketRecordLayout.TCP_FLAGS_OFFSET, near.tcpFlags(), 2);
    putByte(records, record + PacketRecordLayout.TYPE_OF_SERVICE_OFFSET, near.typeOfService(), 0);
    records.set(
        INT,
        record + PacketRecordLayout.DESCRIPTOR_OFFSET,
        kind << PacketRecordLayout.KIND_SHIFT
            | random.nextInt(1 << PacketRecordLayout.KIND_SHIFT)
            | random.nextInt(8) << PacketRecordLayout.GENERATION_SHIFT);
  }

  private void putAddress(
      MemorySegment records, long offset, Optional<AddressMatch> asked, boolean ipv4) {
    AddressMatch near =
        asked.orElseGet(() -> AddressMatch.prefix(ipv4, 0, ipv4 ? 0xffffL << 32 : 0, 0));
    long high = near.high();
    long low = near.low();
    switch (random.nextInt(5)) {
      case 0 -> {
        // the first one
      }
      case 1 -> {
        high |= ~near.maskHigh();
        low |= ~near.maskLow();
      }
      case 2 -> {
        low -= 1;
        high -= near.low() == 0 ? 1 : 0;
      }
      case 3 -> {
        high |= ~near.maskHigh();
        low |= ~near.maskLow();
        low += 1;
        high += low == 0 ? 1 : 0;
      }
      default -> {
        high |= random.nextLong() & ~near.maskHigh();
        low |= random.nextLong() & ~near.maskLow();
      }
    }
    records.set(NETWORK, offset, ipv4 ? 0 : high);
    records.set(NETWORK, offset + 8, ipv4 ? 0xffffL << 32 | (low & 0xffff_ffffL) : low);
  }

  private short port(Optional<PortMatch> asked) {
    int port =
        switch (asked.orElse(new PortMatch.Masked(0, 0))) {
          case PortMatch.Ranges(List<PortMatch.Range> ranges) -> {
            PortMatch.Range range = ranges.get(random.nextInt(ranges.size()));
            yield random.nextBoolean() ? range.first() : range.last();
          }
          case PortMatch.Masked(int value, int mask) ->
              value | (random.nextInt(0x10000) & ~mask & 0xffff);
        };
    return (short) (port + (random.nextInt(4) == 0 ? random.nextInt(3) - 1 : 0));
  }

  private void putByte(MemorySegment records, long offset, Optional<ByteMatch> asked, int usual) {
    ByteMatch near = asked.orElse(ByteMatch.exactly(usual));
    int value = near.value() | (random.nextInt(0x100) & ~near.mask() & 0xff);
    int flipped = random.nextInt(4) == 0 ? 1 << random.nextInt(8) : 0;
    records.set(ValueLayout.JAVA_BYTE, offset, (byte) (value ^ flipped));
  }
}
