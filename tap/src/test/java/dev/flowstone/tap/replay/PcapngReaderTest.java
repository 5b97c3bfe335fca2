// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.flowstone.raw.MalformedReason;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PcapngReaderTest {
  @TempDir Path folder;

  private ReplayRun replay(CaptureBytes bytes) {
    return ReplayRun.of(bytes.writeTo(folder.resolve("capture")));
  }

  private static CaptureBytes section(boolean bigEndian) {
    CaptureBytes bytes = new CaptureBytes(bigEndian);
    return bytes.section().interfaceBlock(1, 0, bytes.fresh());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldReadEnhancedPackets(boolean bigEndian) {
    ReplayRun run = replay(section(bigEndian).enhancedPacket(0, 0x1_0000_0001L, 61, 1500));
    ReplayRun.Packet packet = run.packets().getFirst();
    assertThat(packet.timeNs()).isEqualTo(0x1_0000_0001L * 1000);
    assertThat(packet.captured()).isEqualTo(61);
    assertThat(packet.wire()).isEqualTo(1500);
    assertThat(packet.linkType()).isEqualTo(1);
  }

  @Test
  void shouldReadSectionsOfBothByteOrders() {
    CaptureBytes both =
        new CaptureBytes(false)
            .raw(section(false).enhancedPacket(0, 1, 4, 4).array())
            .raw(section(true).enhancedPacket(0, 2, 4, 4).array())
            .raw(section(false).enhancedPacket(0, 3, 4, 4).array());
    assertThat(replay(both).timesNs()).containsExactly(1000L, 2000L, 3000L);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldForgetInterfacesAtTheNextSection(boolean bigEndian) {
    ReplayRun run = replay(section(bigEndian).section().enhancedPacket(0, 1, 4, 4));
    assertThat(run.packets()).isEmpty();
    assertThat(run.counters().malformed()).containsOnlyKeys(MalformedReason.UNKNOWN_INTERFACE);
  }

  @ParameterizedTest
  @CsvSource({
    "6, 1500000, 1500000000",
    "9, 1500000, 1500000",
    "0, 2, 2000000000",
    "12, 1999, 1",
    "19, 20000000000, 2",
    "127, 12345, 0",
    "0x80, 2, 2000000000",
    "0x8A, 1536, 1500000000",
    "0xA0, 0x180000000, 1500000000",
    "0xC0, -1, 999999999",
    "0xFF, -1, 0"
  })
  void shouldHonourResolution(String resolution, String ticks, long expectedNs) {
    CaptureClock clock = CaptureClock.MICROSECONDS.withResolution(Integer.decode(resolution));
    assertThat(clock.timeNs(Long.decode(ticks))).isEqualTo(expectedNs);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldHonourResolutionAndOffsetOfEachInterface(boolean bigEndian) {
    CaptureBytes bytes = new CaptureBytes(bigEndian);
    CaptureBytes comment = bytes.fresh().u16(1).u16(3).raw((byte) 'a', (byte) 'b', (byte) 'c');
    CaptureBytes options =
        comment.zeros(1).u16(9).u16(1).u8(9).zeros(3).u16(14).u16(8).u64(-5).u16(0).u16(0);
    bytes.section().interfaceBlock(1, 0, bytes.fresh()).interfaceBlock(113, 0, options);
    ReplayRun run =
        replay(bytes.enhancedPacket(1, 7_000_000_009L, 4, 4).enhancedPacket(0, 7_000_000, 4, 4));
    assertThat(run.timesNs()).containsExactly(2_000_000_009L, 7_000_000_000L);
    assertThat(run.linkTypes()).containsOnlyKeys(1, 113);
  }

  @Test
  void shouldFlagSimplePacketsAsUntimedAndCutThemAtTheSnapLength() {
    CaptureBytes bytes = new CaptureBytes(false);
    bytes.section().interfaceBlock(1, 100, bytes.fresh());
    ReplayRun run =
        replay(bytes.enhancedPacket(0, 5, 4, 4).simplePacket(1500, 100).simplePacket(60, 60));
    assertThat(run.packets()).extracting(ReplayRun.Packet::captured).containsExactly(4L, 100L, 60L);
    assertThat(run.packets())
        .extracting(ReplayRun.Packet::timed)
        .containsExactly(true, false, false);
    // The latest time known stands in for the one that is not.
    assertThat(run.timesNs()).containsExactly(5000L, 5000L, 5000L);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldReadObsoletePackets(boolean bigEndian) {
    CaptureBytes bytes = section(bigEndian);
    CaptureBytes body = bytes.fresh().u16(0).u16(99).u32(0).u32(8).u32(6).u32(70).zeros(6);
    ReplayRun run = replay(bytes.block(PcapngReader.OBSOLETE_PACKET, body));
    assertThat(run.timesNs()).containsExactly(8000L);
    assertThat(run.counters().wireBytes()).isEqualTo(70);
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 5, 10, 0x0BAD, 0x40000BAD, 0x7FFF0000})
  void shouldSkipBlocksWithoutPackets(int type) {
    CaptureBytes bytes = section(false);
    ReplayRun run = replay(bytes.block(type, bytes.fresh().zeros(33)).enhancedPacket(0, 1, 4, 4));
    assertThat(run.packets()).hasSize(1);
    assertThat(run.counters().skipped()).isEqualTo(3);
    assertThat(run.counters().malformed()).isEmpty();
  }

  @Test
  void shouldSkipAPacketLongerThanItsBlock() {
    CaptureBytes bytes = section(false);
    CaptureBytes liar = bytes.fresh().u32(0).u32(0).u32(0).u32(100).u32(100).zeros(8);
    ReplayRun run =
        replay(bytes.block(PcapngReader.ENHANCED_PACKET, liar).enhancedPacket(0, 1, 4, 4));
    assertThat(run.packets()).hasSize(1);
    assertThat(run.counters().malformed()).containsOnlyKeys(MalformedReason.PACKET_OUTSIDE_BLOCK);
  }

  @Test
  void shouldStopWhereTheTwoLengthsOfABlockDiffer() {
    CaptureBytes bytes = section(false).enhancedPacket(0, 1, 4, 4);
    int bad = bytes.size();
    ReplayRun run = replay(bytes.u32(10).u32(16).u32(0).u32(20).enhancedPacket(0, 1, 4, 4));
    assertThat(run.packets()).hasSize(1);
    assertThat(run.counters().notes().getFirst().offset()).isEqualTo(bad);
    assertThat(run.counters().malformed()).containsOnlyKeys(MalformedReason.BAD_LENGTH);
  }

  @Test
  void shouldKeepPacketsBeforeACutBlock() {
    CaptureBytes bytes = section(false).enhancedPacket(0, 1, 4, 4);
    int cut = bytes.size();
    ReplayRun run = replay(bytes.u32(6).u32(1000).zeros(100));
    assertThat(run.packets()).hasSize(1);
    assertThat(run.counters().notes())
        .singleElement()
        .hasToString(folder.resolve("capture") + ": the file ends inside a record at byte " + cut);
  }

  private static CaptureBytes option(CaptureBytes like, int code, long value) {
    return like.fresh().u16(code).u16(8).u64(value).u16(0).u16(0);
  }

  private static CaptureBytes enhanced(CaptureBytes like, long ticks, CaptureBytes options) {
    return like.fresh().u32(0).u32(0).u32(ticks).u32(4).u32(4).zeros(4).raw(options.array());
  }

  private static CaptureBytes statistics(CaptureBytes like, CaptureBytes options) {
    return like.fresh().u32(0).u64(0).raw(options.array());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldTellALossBeforeThePacketThatFollowsIt(boolean bigEndian) {
    CaptureBytes bytes = section(bigEndian).enhancedPacket(0, 1, 4, 4);
    bytes.block(
        PcapngReader.ENHANCED_PACKET,
        enhanced(bytes, 2, option(bytes, PcapngReader.OPTION_PACKET_DROPS, 12345)));
    ReplayRun run = replay(bytes.enhancedPacket(0, 3, 4, 4));
    assertThat(run.timesNs()).containsExactly(1000L, 2000L, 3000L);
    assertThat(run.lossesBeforeNs()).containsExactly(entry(2000L, 12345L));
    assertThat(run.counters().lostBeforeTap()).isEqualTo(12345);
  }

  /** The statistics tell all losses since the capture began, also those that packets told. */
  @Test
  void shouldCountALossThatPacketsAndStatisticsTellOnce() {
    CaptureBytes bytes = section(false);
    bytes.block(
        PcapngReader.ENHANCED_PACKET,
        enhanced(bytes, 1, option(bytes, PcapngReader.OPTION_PACKET_DROPS, 10)));
    CaptureBytes twelve = bytes.fresh().u16(PcapngReader.OPTION_INTERFACE_DROPS).u16(8).u64(7);
    twelve.raw(option(bytes, PcapngReader.OPTION_SYSTEM_DROPS, 5).array());
    bytes.block(PcapngReader.INTERFACE_STATISTICS, statistics(bytes, twelve));
    bytes.block(PcapngReader.INTERFACE_STATISTICS, statistics(bytes, twelve));
    ReplayRun run = replay(bytes);
    assertThat(run.counters().lostBeforeTap()).isEqualTo(12);
    assertThat(run.losses()).isEqualTo(12);
  }

  @Test
  void shouldReadTheDropsOfObsoletePackets() {
    CaptureBytes bytes = section(false);
    for (int drops : new int[] {99, 0xFFFF}) {
      CaptureBytes body = bytes.fresh().u16(0).u16(drops).u32(0).u32(8).u32(6).u32(70).zeros(6);
      bytes.block(PcapngReader.OBSOLETE_PACKET, body);
    }
    assertThat(replay(bytes).counters().lostBeforeTap()).isEqualTo(99);
  }

  @Test
  void shouldNotBelieveALossThatCannotBe() {
    CaptureBytes bytes = section(false);
    bytes.block(
        PcapngReader.ENHANCED_PACKET,
        enhanced(bytes, 1, option(bytes, PcapngReader.OPTION_PACKET_DROPS, -1)));
    ReplayRun run = replay(bytes);
    assertThat(run.packets()).hasSize(1);
    assertThat(run.counters().lostBeforeTap()).isZero();
    assertThat(run.counters().malformed()).containsOnlyKeys(MalformedReason.IMPOSSIBLE_LOSS);
  }

  /** The statistics end a batch, and are read again. */
  @Test
  void shouldNoteAnImpossibleLossBesideASoundOneOnce() {
    CaptureBytes bytes = section(false).enhancedPacket(0, 1, 4, 4);
    CaptureBytes drops = bytes.fresh().u16(PcapngReader.OPTION_INTERFACE_DROPS).u16(8).u64(-1);
    drops.raw(option(bytes, PcapngReader.OPTION_SYSTEM_DROPS, 5).array());
    bytes.block(PcapngReader.INTERFACE_STATISTICS, statistics(bytes, drops));
    ReplayRun run = replay(bytes);
    assertThat(run.counters().lostBeforeTap()).isEqualTo(5);
    assertThat(run.counters().malformed())
        .containsExactly(entry(MalformedReason.IMPOSSIBLE_LOSS, 1L));
  }

  /** What it lost is not known to be anybody's. */
  @Test
  void shouldNoteStatisticsOfAnInterfaceThatIsNotDescribed() {
    CaptureBytes bytes = section(false).section();
    bytes.block(
        PcapngReader.INTERFACE_STATISTICS,
        statistics(bytes, option(bytes, PcapngReader.OPTION_SYSTEM_DROPS, 5)));
    ReplayRun run = replay(bytes);
    assertThat(run.counters().lostBeforeTap()).isZero();
    assertThat(run.counters().malformed())
        .containsExactly(entry(MalformedReason.UNKNOWN_INTERFACE, 1L));
  }

  @Test
  void shouldNoteStatisticsThatAreTooShort() {
    CaptureBytes bytes = section(false);
    bytes.block(PcapngReader.INTERFACE_STATISTICS, bytes.fresh().u32(0).u32(0));
    ReplayRun run = replay(bytes.enhancedPacket(0, 1, 4, 4));
    assertThat(run.packets()).hasSize(1);
    assertThat(run.counters().malformed()).containsExactly(entry(MalformedReason.BAD_LENGTH, 1L));
  }

  @Test
  void shouldTellTheLossesOfALapInEachLap() {
    CaptureBytes bytes = section(false);
    bytes.block(
        PcapngReader.ENHANCED_PACKET,
        enhanced(bytes, 1, option(bytes, PcapngReader.OPTION_PACKET_DROPS, 10)));
    Path file = bytes.writeTo(folder.resolve("capture"));
    assertThat(ReplayRun.of(new ReplayOptions(List.of(file), 3), 100).losses()).isEqualTo(30);
  }
}
