// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplaySourceTest {
  @TempDir Path folder;

  private Path nanoseconds(String name, long... timesNs) {
    CaptureBytes bytes = new CaptureBytes(false).pcapHeader(PcapReader.MAGIC_NANOSECONDS, 1);
    for (long timeNs : timesNs) {
      bytes.pcapRecord(timeNs / 1_000_000_000, timeNs % 1_000_000_000, 60, 100);
    }
    return bytes.writeTo(folder.resolve(name));
  }

  @Test
  void shouldReadFilesInTheGivenOrder() {
    Path late = nanoseconds("late", 100, 110);
    Path early = nanoseconds("early", 50);
    ReplayRun run = ReplayRun.of(late, early);
    assertThat(run.timesNs()).containsExactly(100L, 110L, 50L);
    assertThat(run.counters().wireBytes()).isEqualTo(300);
    assertThat(run.counters().capturedBytes()).isEqualTo(180);
  }

  @Test
  void shouldLetTimeGoOnFromLapToLap() {
    Path file = nanoseconds("file", 100, 110, 120);
    ReplayRun run = ReplayRun.of(new ReplayOptions(List.of(file), 3), 2);
    assertThat(run.timesNs()).containsExactly(100L, 110L, 120L, 130L, 140L, 150L, 160L, 170L, 180L);
  }

  @Test
  void shouldMoveLapsBehindTheLatestTimeOfAllFiles() {
    Path late = nanoseconds("late", 1000, 1100);
    Path early = nanoseconds("early", 500);
    ReplayRun run = ReplayRun.of(new ReplayOptions(List.of(late, early), 2), 100);
    // 600 ns and a mean gap of 300.
    assertThat(run.timesNs()).containsExactly(1000L, 1100L, 500L, 1900L, 2000L, 1400L);
  }

  @Test
  void shouldLetTimeGrowThoughAllPacketsHaveTheSame() {
    Path file = nanoseconds("file", 7);
    ReplayRun run = ReplayRun.of(new ReplayOptions(List.of(file), 4), 100);
    assertThat(run.timesNs()).containsExactly(7L, 8L, 9L, 10L);
  }

  @Test
  void shouldLoopForever() {
    ReplayOptions options = new ReplayOptions(List.of(nanoseconds("file", 1, 2)), 0);
    try (ReplaySource source = new ReplaySource(options);
        RawPacketBatch batch = new RawPacketBatch(2)) {
      for (int i = 0; i < 1000; i++) {
        assertThat(source.fill(batch)).isEqualTo(2);
      }
      assertThat(source.lap()).isEqualTo(999);
      assertThat(source.progress()).isNaN();
      assertThat(batch.timeNs(1)).isEqualTo(2000);
    }
  }

  @Test
  void shouldEndThoughAskedToLoopForeverWhenThereIsNoPacket() {
    ReplayOptions options = new ReplayOptions(List.of(nanoseconds("file")), 0);
    assertThat(ReplayRun.of(options, 10).packets()).isEmpty();
  }

  @Test
  void shouldTellProgress() {
    ReplayOptions options = new ReplayOptions(List.of(nanoseconds("file", 1, 2, 3, 4)), 2);
    try (ReplaySource source = new ReplaySource(options);
        RawPacketBatch batch = new RawPacketBatch(4)) {
      source.fill(batch);
      assertThat(source.progress()).isEqualTo(0.5);
      source.fill(batch);
      assertThat(source.fill(batch)).isEqualTo(PacketSource.END);
      assertThat(source.progress()).isEqualTo(1);
    }
  }

  @Test
  void shouldPointAtTheFrame() {
    byte[] frame = "frame bytes".getBytes(StandardCharsets.US_ASCII);
    CaptureBytes bytes = new CaptureBytes(true).pcapHeader(PcapReader.MAGIC_MICROSECONDS, 1);
    Path file =
        bytes.u32(1).u32(0).u32(frame.length).u32(99).raw(frame).writeTo(folder.resolve("file"));
    try (ReplaySource source = new ReplaySource(ReplayOptions.once(file));
        RawPacketBatch batch = new RawPacketBatch(4)) {
      source.fill(batch);
      MemorySegment found = batch.base().asSlice(batch.dataOffset(0), frame.length);
      assertThat(found.mismatch(MemorySegment.ofArray(frame))).isEqualTo(-1);
    }
  }

  /** A sparse file: a packet, a block without one that spans more than 2 GiB, and a packet. */
  @Test
  void shouldReadFilesAbove2GiB() throws IOException {
    CaptureBytes head = new CaptureBytes(false);
    head.section().interfaceBlock(1, 0, head.fresh()).enhancedPacket(0, 1, 4, 4);
    long skippedBytes = 3L << 30;
    Path file = head.u32(0x0BAD).u32(skippedBytes).writeTo(folder.resolve("large"));
    long trailer = head.size() - 8 + skippedBytes - 4;
    byte[] tail = new CaptureBytes(false).u32(skippedBytes).enhancedPacket(0, 2, 4, 4).array();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(tail).order(ByteOrder.LITTLE_ENDIAN), trailer);
    }
    assertThat(ReplayRun.of(file).timesNs()).containsExactly(1000L, 2000L);
  }

  /** Many packets at the seams of what is read at once, and one longer than that. */
  @Test
  void shouldFindFramesWhereverTheWindowEnds() {
    CaptureBytes bytes = new CaptureBytes(false).pcapHeader(PcapReader.MAGIC_NANOSECONDS, 1);
    int packets = 0;
    while (bytes.size() < 3 * CaptureWindow.USUAL_BYTES) {
      numbered(bytes, packets++, 40 + packets % 1400);
    }
    numbered(bytes, packets++, 2 * CaptureWindow.USUAL_BYTES);
    numbered(bytes, packets++, 60);
    Path file = bytes.writeTo(folder.resolve("file"));
    try (ReplaySource source = new ReplaySource(new ReplayOptions(List.of(file), 2));
        RawPacketBatch batch = new RawPacketBatch(1000)) {
      int seen = 0;
      while (source.fill(batch) != PacketSource.END) {
        for (int i = 0; i < batch.count(); i++) {
          long frame = batch.dataOffset(i);
          long last = frame + batch.capturedBytes(i) - 1;
          assertThat(batch.base().get(JAVA_INT_UNALIGNED, frame)).isEqualTo(seen % packets);
          assertThat(batch.base().get(JAVA_BYTE, last)).isEqualTo((byte) 0x5A);
          seen++;
        }
      }
      assertThat(seen).isEqualTo(2 * packets);
    }
  }

  private static void numbered(CaptureBytes bytes, int number, int lengthBytes) {
    bytes.u32(1).u32(number).u32(lengthBytes).u32(lengthBytes).u32(number);
    bytes.zeros(lengthBytes - 5).u8(0x5A);
  }

  private static void shorten(Path file, long sizeBytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(sizeBytes);
    }
  }

  /** A mapped file would end the whole process here. */
  @Test
  void shouldSayThatAFileWasShortenedWhileItWasRead() throws IOException {
    CaptureBytes bytes = new CaptureBytes(false).pcapHeader(PcapReader.MAGIC_NANOSECONDS, 1);
    while (bytes.size() < 2 * CaptureWindow.USUAL_BYTES) {
      bytes.pcapRecord(1, 1, 1400, 1400);
    }
    Path file = bytes.writeTo(folder.resolve("file"));
    try (ReplaySource source = new ReplaySource(ReplayOptions.once(file));
        RawPacketBatch batch = new RawPacketBatch(10)) {
      assertThat(source.fill(batch)).isEqualTo(10);
      shorten(file, 5000);
      assertThatThrownBy(() -> readOn(source, batch))
          .isInstanceOf(CaptureException.class)
          .hasMessageStartingWith(file + ": shortened while it was read: " + bytes.size())
          .hasMessageMatching(".*now nothing at byte \\d+;.*");
      // What was handed out is still there.
      assertThat(batch.base().get(JAVA_BYTE, batch.dataOffset(0))).isZero();
    }
  }

  private static void readOn(ReplaySource source, RawPacketBatch batch) {
    while (source.fill(batch) != PacketSource.END) {
      // to where the file ends now
    }
  }

  @Test
  void shouldNoticeBetweenLapsThatASmallFileWasShortened() throws IOException {
    Path file = nanoseconds("file", 1, 2);
    ReplayOptions options = new ReplayOptions(List.of(file), ReplayOptions.FOREVER);
    try (ReplaySource source = new ReplaySource(options);
        RawPacketBatch batch = new RawPacketBatch(2)) {
      assertThat(source.fill(batch)).isEqualTo(2);
      shorten(file, 30);
      assertThatThrownBy(() -> readOn(source, batch))
          .hasMessageStartingWith(file + ": shortened while it was read")
          .hasMessageContaining("at byte 30");
    }
  }

  @Test
  void shouldSayWhatAnUnknownFileIs() throws IOException {
    Path file = Files.writeString(folder.resolve("notes.pcap"), "Dear diary, no packets today.");
    assertThatThrownBy(() -> ReplayRun.of(file))
        .isInstanceOf(CaptureException.class)
        .hasMessageStartingWith(file + ": offset 0: found bytes 44656172")
        .hasMessageContaining("accepted: pcap (magic a1b2c3d4")
        .message()
        .doesNotContain("\n");
  }

  @Test
  void shouldSayHowToUnpackAnArchive() throws IOException {
    Path file = Files.write(folder.resolve("a.gz"), new byte[] {0x1f, (byte) 0x8b, 8, 0});
    assertThatThrownBy(() -> ReplayRun.of(file)).hasMessageContaining("gunzip");
  }

  @Test
  void shouldRefuseWhatIsNotAFile() throws IOException {
    Path empty = Files.createFile(folder.resolve("empty"));
    assertThatThrownBy(() -> ReplayRun.of(empty)).hasMessageContaining("found an empty file");
    assertThatThrownBy(() -> ReplayRun.of(folder)).hasMessageContaining("not a regular file");
    assertThatThrownBy(() -> ReplayRun.of(folder.resolve("none")))
        .hasMessageContaining("no such file");
  }

  @Test
  void shouldRefuseOptionsThatMakeNoSense() {
    assertThatThrownBy(() -> new ReplayOptions(List.of(), 1)).hasMessageContaining("files=0");
    assertThatThrownBy(() -> new ReplayOptions(List.of(folder), -1))
        .hasMessageContaining("loop=-1");
  }
}
