// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.tap.replay.ReplayOptions;
import dev.flowstone.tap.replay.ReplaySource;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PcapChannelTest {
  private static final SyntheticOptions TRAFFIC =
      SyntheticOptions.preset("syn-flood").withPackets(20_000);

  @TempDir Path folder;

  private static List<String> frames(PacketSource source) {
    List<String> frames = new ArrayList<>();
    try (source;
        RawPacketBatch batch = new RawPacketBatch(RawPacketBatch.DEFAULT_CAPACITY)) {
      while (source.fill(batch) != PacketSource.END) {
        for (int i = 0; i < batch.count(); i++) {
          byte[] bytes =
              batch
                  .base()
                  .asSlice(batch.dataOffset(i), batch.capturedBytes(i))
                  .toArray(ValueLayout.JAVA_BYTE);
          frames.add(
              batch.timeNs(i) + " " + batch.wireBytes(i) + " " + HexFormat.of().formatHex(bytes));
        }
      }
    }
    return frames;
  }

  /** By a reader that is held against tshark. */
  @Test
  void shouldWriteWhatReadsAsTheSameFrames() throws Exception {
    Path file = folder.resolve("frames.pcap");
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        PcapChannel pcap = new PcapChannel(new Dribble(channel));
        PacketSource source = new SyntheticSource(TRAFFIC);
        RawPacketBatch batch = new RawPacketBatch(RawPacketBatch.DEFAULT_CAPACITY)) {
      while (source.fill(batch) != PacketSource.END) {
        int half = batch.count() / 2;
        pcap.write(batch, 0, half);
        pcap.write(batch, half, batch.count() - half);
      }
    }
    assertThat(frames(new ReplaySource(new ReplayOptions(List.of(file), 1))))
        .hasSize(20_000)
        .isEqualTo(frames(new SyntheticSource(TRAFFIC)));
  }

  @Test
  void shouldWriteLongFramesAndRefuseImpossibleOnes() throws Exception {
    Path file = folder.resolve("long.pcap");
    try (Arena arena = Arena.ofConfined();
        FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        PcapChannel pcap = new PcapChannel(channel);
        RawPacketBatch batch = new RawPacketBatch(100)) {
      MemorySegment memory = arena.allocate(100_000);
      batch.begin(memory);
      while (batch.hasRoom()) {
        batch.append(0, batch.count(), 65_000, 65_000, 1, 0);
      }
      pcap.write(batch, 0, 100);
      batch.begin(memory);
      batch.append(0, 0, 70_000, 70_000, 1, 0);
      assertThatThrownBy(() -> pcap.write(batch, 0, 1)).hasMessageContaining("70000 bytes");
    }
    assertThat(frames(new ReplaySource(new ReplayOptions(List.of(file), 1)))).hasSize(100);
  }

  /** A pipe that takes a little at a time. */
  private record Dribble(WritableByteChannel channel) implements WritableByteChannel {
    @Override
    public int write(ByteBuffer bytes) throws IOException {
      int limit = bytes.limit();
      bytes.limit(Math.min(limit, bytes.position() + 777));
      int written = channel.write(bytes);
      bytes.limit(limit);
      return written;
    }

    @Override
    public boolean isOpen() {
      return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
      Channels.newOutputStream(channel).close();
    }
  }
}
