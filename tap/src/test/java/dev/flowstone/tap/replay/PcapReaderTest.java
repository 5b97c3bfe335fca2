// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.raw.MalformedReason;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PcapReaderTest {
  private static final long SECOND_NS = 1_000_000_000L;

  @TempDir Path folder;

  private ReplayRun replay(CaptureBytes bytes) {
    return ReplayRun.of(bytes.writeTo(folder.resolve("capture")));
  }

  private static CaptureBytes pcap(boolean bigEndian, int magic) {
    return new CaptureBytes(bigEndian).pcapHeader(magic, 1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldReadMicroseconds(boolean bigEndian) {
    ReplayRun run =
        replay(pcap(bigEndian, PcapReader.MAGIC_MICROSECONDS).pcapRecord(7, 8, 60, 1500));
    assertThat(run.timesNs()).containsExactly(7 * SECOND_NS + 8_000);
    assertThat(run.packets().getFirst().captured()).isEqualTo(60);
    assertThat(run.packets().getFirst().wire()).isEqualTo(1500);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldReadNanoseconds(boolean bigEndian) {
    ReplayRun run = replay(pcap(bigEndian, PcapReader.MAGIC_NANOSECONDS).pcapRecord(7, 8, 0, 0));
    assertThat(run.timesNs()).containsExactly(7 * SECOND_NS + 8);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldReadRecordsOfPatchedPrograms(boolean bigEndian) {
    CaptureBytes bytes = pcap(bigEndian, PcapReader.MAGIC_MODIFIED);
    for (int i = 0; i < 2; i++) {
      bytes.u32(7).u32(8).u32(4).u32(5).u32(2).u16(0x0800).u8(0).u8(0).u32(0xCAFE);
    }
    ReplayRun run = replay(bytes);
    assertThat(run.packets()).hasSize(2);
    assertThat(run.packets().getLast().wire()).isEqualTo(5);
    assertThat(run.counters().malformed()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldTakeSecondsAsUnsignedAndFractionsAsTheyStand(boolean bigEndian) {
    ReplayRun run =
        replay(
            pcap(bigEndian, PcapReader.MAGIC_MICROSECONDS)
                .pcapRecord(0xFFFF_FFFFL, 1_000_000, 0, 0));
    assertThat(run.timesNs()).containsExactly(0x1_0000_0000L * SECOND_NS);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 15, 16, 17, 75})
  void shouldKeepPacketsBeforeACutRecord(int bytesOfSecondRecord) {
    byte[] whole =
        pcap(false, PcapReader.MAGIC_MICROSECONDS)
            .pcapRecord(1, 1, 60, 60)
            .pcapRecord(2, 2, 60, 60)
            .array();
    int secondRecord = 24 + 16 + 60;
    ReplayRun run =
        replay(
            new CaptureBytes(false).raw(Arrays.copyOf(whole, secondRecord + bytesOfSecondRecord)));
    assertThat(run.packets()).hasSize(1);
    assertThat(run.counters().malformed()).containsOnlyKeys(MalformedReason.CUT_SHORT);
    assertThat(run.counters().notes().getFirst().offset()).isEqualTo(secondRecord);
  }

  @ParameterizedTest
  @ValueSource(longs = {(16 << 20) + 1, 0x7FFF_FFFFL, 0xFFFF_FFFFL})
  void shouldStopAtAnAbsurdLength(long captured) {
    CaptureBytes bytes = pcap(false, PcapReader.MAGIC_MICROSECONDS).pcapRecord(1, 1, 8, 8);
    ReplayRun run = replay(bytes.u32(1).u32(1).u32(captured).u32(9).zeros(100));
    assertThat(run.packets()).hasSize(1);
    assertThat(run.counters().malformed()).containsOnlyKeys(MalformedReason.TOO_LONG);
  }

  @ParameterizedTest
  @ValueSource(longs = {262144, 0xFFFF_FFFFL})
  void shouldSumAbsurdOriginalLengthsAsTheyStand(long wire) {
    ReplayRun run = replay(pcap(true, PcapReader.MAGIC_MICROSECONDS).pcapRecord(1, 1, 8, wire));
    assertThat(run.counters().wireBytes()).isEqualTo(wire);
  }
}
