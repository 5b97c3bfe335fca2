// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.OtherReason;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class FlowTupleTest {
  /** Savepoints store state by key groups that depend on these numbers. */
  @Test
  void keepsItsHash() {
    assertThat(FlowTuple.ipv4(0xc0000201, 0xc6336407, 49152, 443, 6).hashCode())
        .isEqualTo(652258298);
    assertThat(new FlowTuple(1L << 61, 2, 3, 4, 5, 6, 17, false).hashCode()).isEqualTo(1327874472);
  }

  @Test
  void ordersAllFields() {
    FlowTuple[] each = {
      new FlowTuple(0, 0, 0, 0, 0, 0, 0, false),
      new FlowTuple(0, 0, 0, 0, 0, 0, 1, false),
      new FlowTuple(0, 0, 1, 0, 0, 0, 0, false),
      new FlowTuple(1, 0, 0, 0, 0, 0, 0, false),
      new FlowTuple(0, 0, 0, 0, 0, 1, 0, false),
      new FlowTuple(0, 0, 0, 0, 1, 0, 0, false),
      new FlowTuple(0, 0, 0, 1, 0, 0, 0, false),
      new FlowTuple(0, 1, 0, 0, 0, 0, 0, false),
      new FlowTuple(0, 0xffff00000001L, 0, 0xffff00000002L, 0, 0, 0, false),
      FlowTuple.ipv4(1, 2, 0, 0, 0),
    };
    for (int i = 0; i < each.length; i++) {
      for (int j = 0; j < each.length; j++) {
        assertThat(Integer.signum(each[i].compareTo(each[j]))).isEqualTo(Integer.compare(i, j));
      }
    }
  }

  private static final FlowTuple TUPLE =
      FlowTuple.ipv4(0xc000020a, 0xc6336414, 49152, 443, 6); // 192.0.2.10, 198.51.100.20

  @Test
  void shouldReadAsPeopleWriteIt() {
    assertThat(TUPLE).hasToString("192.0.2.10:49152 > 198.51.100.20:443 protocol 6");
    assertThat(new FlowTuple(0x20010db800000000L, 1, 0, 1, 53, 1024, 17, false))
        .hasToString("[2001:db8::1]:53 > [::1]:1024 protocol 17");
  }

  @Test
  void shouldOrderAddressesAsUnsignedBytes() {
    FlowTuple fromHighAddress = FlowTuple.ipv4(0xc0000201, 0x0a000001, 1, 2, 6);

    assertThat(fromHighAddress.canonical().sourceAddress()).isEqualTo("10.0.0.1");
  }

  @Test
  void shouldOrderByPortWhenTheAddressesAreEqual() {
    FlowTuple loopback = FlowTuple.ipv4(0x7f000001, 0x7f000001, 60000, 80, 6);

    assertThat(loopback.canonical().sourcePort()).isEqualTo(80);
  }

  @Property
  void shouldBeTheSameForBothDirections(
      @ForAll long sourceHigh,
      @ForAll long sourceLow,
      @ForAll long destinationHigh,
      @ForAll long destinationLow,
      @ForAll @IntRange(max = 65535) int sourcePort,
      @ForAll @IntRange(max = 65535) int destinationPort) {
    FlowTuple tuple =
        new FlowTuple(
            sourceHigh,
            sourceLow,
            destinationHigh,
            destinationLow,
            sourcePort,
            destinationPort,
            6,
            false);
    FlowTuple canonical = tuple.canonical();

    assertThat(tuple.reversed().canonical()).isEqualTo(canonical);
    assertThat(canonical.canonical()).isEqualTo(canonical);
    assertThat(canonical).isIn(tuple, tuple.reversed());
    assertThat(
            Arrays.compareUnsigned(
                endpoint(canonical.sourceHigh(), canonical.sourceLow(), canonical.sourcePort()),
                endpoint(
                    canonical.destinationHigh(),
                    canonical.destinationLow(),
                    canonical.destinationPort())))
        .isNotPositive();
  }

  private static byte[] endpoint(long high, long low, int port) {
    return ByteBuffer.allocate(18).putLong(high).putLong(low).putShort((short) port).array();
  }

  @Test
  void shouldKeepIpv4AndIpv6OfTheSameBytesApart() {
    FlowTuple ipv6 =
        new FlowTuple(
            TUPLE.sourceHigh(),
            TUPLE.sourceLow(),
            TUPLE.destinationHigh(),
            TUPLE.destinationLow(),
            TUPLE.sourcePort(),
            TUPLE.destinationPort(),
            TUPLE.protocol(),
            false);

    assertThat(ipv6).isNotEqualTo(TUPLE);
    assertThat(ipv6.sourceAddress()).isEqualTo("::ffff:192.0.2.10");
  }

  @Test
  void shouldRefuseAnIpv4TupleWithIpv6Addresses() {
    assertThatThrownBy(() -> new FlowTuple(0, 1, 0, 2, 0, 0, 6, true))
        .hasMessage(
            "an IPv4 tuple needs addresses of the form ::ffff:a.b.c.d: source=::1 destination=::2");
  }

  @Test
  void shouldRefuseAPortOutOfRange() {
    assertThatThrownBy(() -> FlowTuple.ipv4(1, 2, 65536, 0, 6))
        .hasMessage("source port must be 0 to 65535: 65536");
  }

  /** As the parser writes it: no addresses, no protocol, why, and the number it met. */
  private static FlowTuple withoutIp(Arena arena, int reason, int number) {
    MemorySegment record = arena.allocate(PacketRecordLayout.SIZE_BYTES, Long.BYTES);
    record.set(JAVA_SHORT, PacketRecordLayout.SOURCE_PORT_OFFSET, (short) reason);
    record.set(JAVA_SHORT, PacketRecordLayout.DESTINATION_PORT_OFFSET, (short) number);
    record.set(
        JAVA_INT,
        PacketRecordLayout.DESCRIPTOR_OFFSET,
        RecordKind.OTHER << PacketRecordLayout.KIND_SHIFT);
    return FlowTuple.of(record, 0);
  }

  @Test
  void shouldGiveAPacketWithoutIpATupleOfItsEtherType() {
    try (Arena arena = Arena.ofConfined()) {
      FlowTuple arp = withoutIp(arena, OtherReason.NOT_IP, 0x0806);
      FlowTuple cut = withoutIp(arena, OtherReason.SHORT_IP, 0x0800);

      assertThat(arp.isIp()).isFalse();
      assertThat(arp).hasToString("no IP, EtherType 0x0806");
      assertThat(cut).hasToString("no IP, reason 3, number 0x0800");
      assertThat(arp).isNotEqualTo(cut).isEqualTo(withoutIp(arena, OtherReason.NOT_IP, 0x0806));
    }
  }

  /** Its ports are no endpoints', also where the number is the smaller one. */
  @Test
  void shouldHaveOneDirectionWithoutIp() {
    try (Arena arena = Arena.ofConfined()) {
      FlowTuple linkType = withoutIp(arena, OtherReason.LINK_TYPE, 1);

      assertThat(linkType.reversed()).isEqualTo(linkType);
      assertThat(linkType.canonical()).isEqualTo(linkType);
    }
  }

  @Test
  void shouldTellAnIpv6PacketWithoutAddressesFromOneWithoutIp() {
    assertThat(new FlowTuple(0, 0, 0, 0, 0, 0, 0, false).isIp()).isTrue();
    assertThat(new FlowTuple(0, 0, 0, 0, 1, 2, 17, false).isIp()).isTrue();
  }

  @Test
  void shouldRefuseARecordThatIsNoPacket() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment record = arena.allocate(PacketRecordLayout.SIZE_BYTES, Long.BYTES);

      assertThatThrownBy(() -> FlowTuple.of(record, 0))
          .hasMessage("record at byte 0 is not a packet's: kind=0");
    }
  }
}
