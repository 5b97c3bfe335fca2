// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class FlowHashTest {
  private static final int CASTAGNOLI_REFLECTED = 0x82f63b78;

  private final FlowHash flowHash = new FlowHash();

  /** CRC32C bit by bit, from its definition. */
  private static int crc32c(byte[] bytes) {
    int crc = -1;
    for (byte value : bytes) {
      crc ^= Byte.toUnsignedInt(value);
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc >>> 1) ^ ((crc & 1) * CASTAGNOLI_REFLECTED);
      }
    }
    return ~crc;
  }

  /** Endpoints as bytes, sorted as bytes: address, then port. */
  private static int naiveHash(FlowTuple tuple) {
    byte[][] endpoints = {
      endpoint(tuple.sourceHigh(), tuple.sourceLow(), tuple.sourcePort()),
      endpoint(tuple.destinationHigh(), tuple.destinationLow(), tuple.destinationPort())
    };
    Arrays.sort(endpoints, Arrays::compareUnsigned);
    return crc32c(
        ByteBuffer.allocate(40)
            .put(endpoints[0], 0, 16)
            .put(endpoints[1], 0, 16)
            .put(endpoints[0], 16, 2)
            .put(endpoints[1], 16, 2)
            .put((byte) tuple.protocol())
            .array());
  }

  private static byte[] endpoint(long high, long low, int port) {
    return ByteBuffer.allocate(18).putLong(high).putLong(low).putShort((short) port).array();
  }

  @Property
  void shouldFollowTheDefinitionInBothDirections(
      @ForAll long sourceHigh,
      @ForAll long sourceLow,
      @ForAll long destinationHigh,
      @ForAll long destinationLow,
      @ForAll @IntRange(max = 65535) int sourcePort,
      @ForAll @IntRange(max = 65535) int destinationPort,
      @ForAll @IntRange(max = 255) int protocol) {
    FlowTuple tuple =
        new FlowTuple(
            sourceHigh,
            sourceLow,
            destinationHigh,
            destinationLow,
            sourcePort,
            destinationPort,
            protocol,
            false);

    Assume.that(tuple.isIp());
    assertThat(flowHash.hash(tuple)).isEqualTo(naiveHash(tuple));
    assertThat(flowHash.hash(tuple.reversed())).isEqualTo(naiveHash(tuple));
  }

  @Property
  void shouldOrderByPortBetweenEqualAddresses(
      @ForAll int address,
      @ForAll @IntRange(max = 65535) int sourcePort,
      @ForAll @IntRange(max = 65535) int destinationPort) {
    FlowTuple tuple = FlowTuple.ipv4(address, address, sourcePort, destinationPort, 17);

    assertThat(flowHash.hash(tuple)).isEqualTo(naiveHash(tuple));
    assertThat(flowHash.hash(tuple.reversed())).isEqualTo(naiveHash(tuple));
  }

  /** docs/formats/flow-hash.md: a record without a 5-tuple has the hash 0. */
  @Test
  void shouldBeZeroWithoutIp() {
    assertThat(FlowHash.of(new FlowTuple(0, 0, 0, 0, 1, 0x0806, 0, false))).isZero();
  }

  @Test
  void shouldHashTheExamplesOfTheDocumentation() {
    FlowTuple tcp = FlowTuple.ipv4(0xc000020a, 0xc6336414, 49152, 443, 6);
    FlowTuple laterFragment = FlowTuple.ipv4(0xc000020a, 0xc6336414, 0, 0, 6);
    FlowTuple dns =
        new FlowTuple(0x20010db800000000L, 0x53, 0x20010db800000000L, 0xa, 53, 40000, 17, false);

    assertThat(FlowHash.of(tcp)).isEqualTo(0xd5d2f2ec);
    assertThat(FlowHash.of(laterFragment)).isEqualTo(0x639f7e1e);
    assertThat(FlowHash.of(dns)).isEqualTo(0x26512e6d);
  }

  /** The hex dump of docs/formats/packet-record.md, read by the accessors. */
  @Test
  void shouldAgreeWithTheWorkedExampleOfThePacketRecord() throws IOException {
    byte[] bytes = workedExample();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment record = arena.allocate(bytes.length, 8).copyFrom(MemorySegment.ofArray(bytes));
      FlowTuple tuple = FlowTuple.of(record, 0);

      assertThat(tuple).hasToString("192.0.2.10:49152 > 198.51.100.20:443 protocol 6");
      assertThat(PacketRecord.flowHash(record, 0)).isEqualTo(FlowHash.of(tuple));
      assertThat(PacketRecord.timeNs(PacketRecord.timeLow(record, 0), 1_795_219_200_000_000_000L))
          .isEqualTo(1_795_219_200_001_234_567L);
      assertThat(PacketRecord.frameLength(PacketRecord.descriptor(record, 0))).isEqualTo(74);
    }
  }

  private static byte[] workedExample() throws IOException {
    Path directory = Path.of("").toAbsolutePath();
    while (!Files.exists(directory.resolve("docs/formats/packet-record.md"))) {
      directory = directory.getParent();
    }
    StringBuilder digits = new StringBuilder();
    for (String line : Files.readAllLines(directory.resolve("docs/formats/packet-record.md"))) {
      if (line.matches("[0-9a-f]{8}  .*")) {
        digits.append(line, 10, 57);
      }
    }
    return HexFormat.of().parseHex(digits.toString().replace(" ", ""));
  }
}
