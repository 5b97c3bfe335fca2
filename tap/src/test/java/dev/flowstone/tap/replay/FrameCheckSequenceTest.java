// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.offheap.ParserLibrary;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.raw.RawPacketBatch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The same frame in every format, with its check sequence and without. */
class FrameCheckSequenceTest {
  /** TCP over IPv4. The total length of 0, as of offloaded segments, shows what was captured. */
  private static final byte[] FRAME =
      HexFormat.of()
          .parseHex(
              "020000000002020000000001"
                  + "0800" // Ethernet
                  + "450000000001000040060000"
                  + "c0000201"
                  + "c6336407"
                  + "c35001bb"
                  + "0000000100000002"
                  + "5018ffff00000000"
                  + "0102030405060708");

  private static final int SEQUENCE_BYTES = 4;
  private static final int RECORDED_BYTES = FRAME.length + SEQUENCE_BYTES;
  private static final byte[] FRAME_AND_SEQUENCE = Arrays.copyOf(FRAME, RECORDED_BYTES);
  private static final int OPTION_FCSLEN = 13;
  private static final int ETHERNET = 1;

  /** Link type of a pcap file, whose frames have two units of 16 bits more. */
  private static final int WITH_SEQUENCE = 0x2400_0000 | ETHERNET;

  @TempDir Path folder;

  @ParameterizedTest(name = "{0}")
  @MethodSource("captures")
  void shouldMakeOneRecordOfTheSameFrameInEveryFormat(String name, CaptureBytes capture) {
    String expected = recordOf(pcap(ETHERNET, FRAME, FRAME.length));
    assertThat(recordOf(capture)).isEqualTo(expected);
  }

  @Test
  void shouldKeepTheLengthOfAFrameWithoutSequence() {
    ReplayRun run = replay(pcap(ETHERNET, FRAME, FRAME.length));
    assertThat(run.counters().wireBytes()).isEqualTo(FRAME.length);
    assertThat(run.counters().capturedBytes()).isEqualTo(FRAME.length);
  }

  private static Stream<Arguments> captures() {
    return Stream.of(
        capture("pcap", pcap(WITH_SEQUENCE, FRAME_AND_SEQUENCE, RECORDED_BYTES)),
        capture("pcapng, bits", pcapng(32, 0, FRAME_AND_SEQUENCE)),
        capture("pcapng, bytes", pcapng(4, 0, FRAME_AND_SEQUENCE)),
        capture("pcapng, packet's own", pcapng(0, 4, FRAME_AND_SEQUENCE)),
        capture("pcapng, packet's own first", pcapng(16, 4, FRAME_AND_SEQUENCE)),
        capture("pcapng, obsolete packet", obsolete(32, FRAME_AND_SEQUENCE)),
        capture("ERF", erf(2)),
        capture("ERF with color", erf(11)),
        capture("ERF with stream number", erf(16)),
        capture("ERF with color and hash", erf(20)));
  }

  private static Arguments capture(String name, CaptureBytes bytes) {
    return Arguments.of(name, bytes);
  }

  /** Capture programs may cut a frame anywhere, also inside of its check sequence. */
  @ParameterizedTest
  @CsvSource({"66, 62", "64, 62", "62, 62", "61, 61", "20, 20", "0, 0"})
  void shouldNotCaptureBytesOfTheSequence(int recordedBytes, int capturedBytes) {
    byte[] cut = Arrays.copyOf(FRAME_AND_SEQUENCE, recordedBytes);
    assertLengths(pcap(WITH_SEQUENCE, cut, RECORDED_BYTES), capturedBytes);
    assertLengths(pcapng(32, 0, cut), capturedBytes);
  }

  @ParameterizedTest
  @CsvSource({"100, 62", "64, 62", "62, 62", "20, 20"})
  void shouldNotCaptureBytesOfTheSequenceInSimplePackets(int snapLength, int capturedBytes) {
    CaptureBytes bytes = new CaptureBytes(false);
    bytes.section().interfaceBlock(ETHERNET, snapLength, fcslen(bytes, 32));
    assertLengths(bytes.simplePacket(RECORDED_BYTES, RECORDED_BYTES), capturedBytes);
  }

  @Test
  void shouldGiveAFrameThatIsShorterThanItsSequenceNoLength() {
    ReplayRun run = replay(pcap(WITH_SEQUENCE, new byte[] {1, 2, 3}, 3));
    assertThat(run.counters().wireBytes()).isZero();
    assertThat(run.counters().capturedBytes()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 22})
  void shouldKeepTheLengthOfErfTypesWithoutEthernet(int type) {
    ReplayRun run = replay(new CaptureBytes(true).erf(1L << 32, type, 40, new byte[40]));
    assertThat(run.counters().wireBytes()).isEqualTo(40);
    assertThat(run.counters().capturedBytes()).isEqualTo(40);
  }

  @ParameterizedTest
  @CsvSource({
    "0x00000001, 0",
    "0x30000001, 0",
    "0x04000001, 0",
    "0x14000001, 2",
    "0x24000001, 4",
    "0xF4000001, 30"
  })
  void shouldReadTheLinkTypeWordOfPcap(String word, int bytes) {
    assertThat(FrameCheckSequence.bytesOfLinkTypeWord(Long.decode(word).intValue()))
        .isEqualTo(bytes);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "2, 2", "4, 4", "15, 15", "16, 2", "32, 4"})
  void shouldTakeSixteenAndMoreOfAnInterfaceForBits(int value, int bytes) {
    assertThat(FrameCheckSequence.bytesOfInterfaceOption(value)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @CsvSource({"0x00000000, 0", "0x0000001F, 0", "0x00000080, 4", "0xFFFFFE1F, 0", "0x000001E0, 15"})
  void shouldReadTheFlagsOfAPacket(String flags, int bytes) {
    assertThat(FrameCheckSequence.bytesOfPacketFlags(Long.decode(flags).intValue()))
        .isEqualTo(bytes);
  }

  private void assertLengths(CaptureBytes capture, long capturedBytes) {
    ReplayRun run = replay(capture);
    assertThat(run.counters().wireBytes()).isEqualTo(FRAME.length);
    assertThat(run.counters().capturedBytes()).isEqualTo(capturedBytes);
  }

  private ReplayRun replay(CaptureBytes capture) {
    return ReplayRun.of(capture.writeTo(folder.resolve("capture")));
  }

  /** The only packet record of a capture, as hexadecimal digits. */
  private String recordOf(CaptureBytes capture) {
    Path file = capture.writeTo(folder.resolve("capture"));
    try (ReplaySource source = new ReplaySource(ReplayOptions.once(file));
        RawPacketBatch batch = new RawPacketBatch(2);
        Arena arena = Arena.ofConfined()) {
      source.fill(batch);
      assertThat(batch.count()).isEqualTo(1);
      MemorySegment record =
          arena.allocate(PacketRecordLayout.SIZE_BYTES, PacketRecordLayout.SIZE_BYTES);
      ParserLibrary.instance()
          .parse(batch.base(), batch.descriptors(), 1, ParserProfile.SOFTWARE, record);
      assertThat(PacketRecord.frameLength(PacketRecord.descriptor(record, 0)))
          .isEqualTo(FRAME.length);
      return HexFormat.of().formatHex(record.toArray(ValueLayout.JAVA_BYTE));
    }
  }

  private static CaptureBytes pcap(int linkType, byte[] captured, int wireBytes) {
    return new CaptureBytes(false)
        .pcapHeader(PcapReader.MAGIC_MICROSECONDS, linkType)
        .u32(1)
        .u32(0)
        .u32(captured.length)
        .u32(wireBytes)
        .raw(captured);
  }

  private static CaptureBytes pcapng(int interfaceValue, int ownBytes, byte[] captured) {
    CaptureBytes bytes = new CaptureBytes(false);
    bytes.section().interfaceBlock(ETHERNET, 0, fcslen(bytes, interfaceValue));
    CaptureBytes packet = bytes.fresh().u32(0).u32(0).u32(1_000_000);
    packet.u32(captured.length).u32(RECORDED_BYTES).raw(captured).zeros(-captured.length & 3);
    if (ownBytes > 0) {
      packet.u16(PcapngReader.OPTION_PACKET_FLAGS).u16(4).u32(ownBytes << 5).u32(0);
    }
    return bytes.block(PcapngReader.ENHANCED_PACKET, packet);
  }

  private static CaptureBytes obsolete(int interfaceValue, byte[] captured) {
    CaptureBytes bytes = new CaptureBytes(false);
    bytes.section().interfaceBlock(ETHERNET, 0, fcslen(bytes, interfaceValue));
    CaptureBytes packet = bytes.fresh().u16(0).u16(0).u32(0).u32(1_000_000);
    packet.u32(captured.length).u32(RECORDED_BYTES).raw(captured);
    return bytes.block(PcapngReader.OBSOLETE_PACKET, packet);
  }

  private static CaptureBytes fcslen(CaptureBytes like, int value) {
    return value == 0
        ? like.fresh()
        : like.fresh().u16(OPTION_FCSLEN).u16(1).u8(value).zeros(3).u32(0);
  }

  /** Two bytes precede an Ethernet frame, and padding to a multiple of 8 follows. */
  private static CaptureBytes erf(int type) {
    CaptureBytes body = new CaptureBytes(true).zeros(2).raw(FRAME_AND_SEQUENCE);
    body.zeros(-body.size() & 7);
    return new CaptureBytes(true).erf(1L << 32, type, RECORDED_BYTES, body.array());
  }
}
