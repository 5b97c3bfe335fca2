// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.flowstone.model.abi.RawPacketFlag;
import dev.flowstone.raw.MalformedReason;
import dev.flowstone.raw.SourceNotice;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ErfReaderTest {
  @TempDir Path folder;

  private ReplayRun replay(CaptureBytes bytes) {
    return ReplayRun.of(bytes.writeTo(folder.resolve("capture")));
  }

  @ParameterizedTest
  @CsvSource({
    "0x00000001_00000000, 1000000000",
    "0x00000000_80000000, 500000000",
    // 2 / 2^32 s = 0.47 ns, 3 / 2^32 s = 0.70 ns
    "0x00000000_00000002, 0",
    "0x00000000_00000003, 1",
    "0x00000000_FFFFFFFF, 1000000000"
  })
  void shouldRoundTimesHalfUp(String fixedPoint, long expectedNs) {
    long time = Long.decode(fixedPoint.replace("_", ""));
    assertThat(ErfReader.timeNs(time)).isEqualTo(expectedNs);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 11, 16, 20})
  void shouldFindEthernetBehindTwoBytesOfPadding(int type) {
    ReplayRun run = replay(new CaptureBytes(true).erf(1L << 32, type, 64, new byte[2 + 70]));
    ReplayRun.Packet packet = run.packets().getFirst();
    assertThat(packet.linkType()).isEqualTo(1);
    assertThat(packet.flags()).isZero();
    assertThat(packet.wire()).isEqualTo(60);
    // The check sequence and six bytes that pad the record are not part of the frame.
    assertThat(packet.captured()).isEqualTo(60);
  }

  @Test
  void shouldSkipExtensionHeaders() {
    byte[] body = new byte[8 + 8 + 2 + 60];
    body[0] = (byte) 0x80;
    ReplayRun run = replay(new CaptureBytes(true).erf(1, 2 | 0x80, 1500, body));
    assertThat(run.packets().getFirst().captured()).isEqualTo(60);
  }

  @Test
  void shouldRefuseExtensionHeadersWithoutEnd() {
    byte[] body = new byte[16];
    body[0] = (byte) 0x80;
    body[8] = (byte) 0x80;
    ReplayRun run = replay(new CaptureBytes(true).erf(1, 2 | 0x80, 1500, body));
    assertThat(run.packets()).isEmpty();
    assertThat(run.counters().malformed()).containsOnlyKeys(MalformedReason.PACKET_OUTSIDE_BLOCK);
  }

  @ParameterizedTest
  @CsvSource({"1, 50, 0", "5, 50, 4", "17, 50, 4", "22, 12, 0", "23, 12, 0"})
  void shouldKnowOtherLinkTypes(int type, int linkType, int headerBytes) {
    ReplayRun run = replay(new CaptureBytes(true).erf(1, type, 500, new byte[headerBytes + 40]));
    assertThat(run.packets().getFirst().linkType()).isEqualTo(linkType);
    assertThat(run.packets().getFirst().captured()).isEqualTo(40);
  }

  @Test
  void shouldFlagTypesThatAreNotHandled() {
    ReplayRun run = replay(new CaptureBytes(true).erf(1, 21, 500, new byte[40]));
    assertThat(run.packets().getFirst().linkType()).isEqualTo(21);
    assertThat(run.packets().getFirst().flags()).isEqualTo(RawPacketFlag.ERF_TYPE);
  }

  @Test
  void shouldSkipPadding() {
    CaptureBytes bytes = new CaptureBytes(true).erf(0, 48, 0).erf(1, 2, 60, new byte[62]);
    ReplayRun run = replay(bytes.erf(0, 48, 0, new byte[32]));
    assertThat(run.packets()).hasSize(1);
    assertThat(run.counters().skipped()).isEqualTo(2);
  }

  @Test
  void shouldKeepPacketsBeforeACutRecord() {
    CaptureBytes bytes = new CaptureBytes(true).erf(1, 2, 60, new byte[62]);
    ReplayRun run = replay(bytes.erf(2, 2, 60, new byte[62]).zeros(9));
    assertThat(run.packets()).hasSize(2);
    assertThat(run.counters().malformed()).containsOnlyKeys(MalformedReason.CUT_SHORT);
  }

  /** A record of that type with a flags byte and the field that is a loss counter in some types. */
  private static CaptureBytes record(int type, int flags, int lossCounter) {
    return new CaptureBytes(true)
        .u64(0)
        .u8(type)
        .u8(flags)
        .u16(16 + 62)
        .u16(lossCounter)
        .u16(60)
        .zeros(62);
  }

  @Test
  void shouldTellWhatTheCardLostBeforeARecord() {
    CaptureBytes bytes = new CaptureBytes(true).erf(1L << 32, 2, 60, new byte[62]);
    ReplayRun run = replay(bytes.raw(record(2, 4, 7).array()).raw(record(22, 4, 5).array()));
    assertThat(run.packets()).hasSize(3);
    assertThat(run.counters().lostBeforeTap()).isEqualTo(12);
    assertThat(run.losses()).isEqualTo(12);
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 11, 15, 16, 17, 19, 20})
  void shouldNotTakeAColourForALoss(int type) {
    assertThat(replay(record(type, 4, 7)).counters().lostBeforeTap()).isZero();
  }

  @Test
  void shouldCountPacketsThatTheCardReceivedWithAnError() {
    CaptureBytes bytes = record(2, 4 | ErfReader.FLAG_RECEIVE_ERROR, 0);
    ReplayRun run = replay(bytes.raw(record(2, 4, 0).array()));
    assertThat(run.packets()).hasSize(2);
    assertThat(run.counters().notices()).containsExactly(entry(SourceNotice.RECEIVE_ERROR, 1L));
  }
}
