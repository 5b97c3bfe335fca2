// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.tap.replay.ReplayOptions;
import dev.flowstone.tap.replay.ReplaySource;
import dev.flowstone.tap.resample.ResampleOptions;
import dev.flowstone.tap.resample.ResampleSource;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sources make no object per packet. */
class AllocationTest {
  private static final int WARM_UP_BATCHES = 3_000;
  private static final int MEASURED_BATCHES = 3_000;

  @Test
  void shouldGenerateWithoutAllocation() {
    try (SyntheticSource source = new SyntheticSource(SyntheticOptions.defaults())) {
      assertThat(bytesPerPacket(source)).isLessThan(0.1);
    }
  }

  @Test
  void shouldReplayWithoutAllocation(@TempDir Path folder) throws IOException {
    Path file = Files.write(folder.resolve("capture"), pcap(10_000));
    try (ReplaySource source =
        new ReplaySource(new ReplayOptions(List.of(file), ReplayOptions.FOREVER))) {
      assertThat(bytesPerPacket(source)).isLessThan(0.1);
    }
  }

  @Test
  void shouldResampleWithoutAllocation(@TempDir Path folder) throws IOException {
    Path file = Files.write(folder.resolve("capture"), pcap(20));
    ResampleOptions options = ResampleOptions.of(List.of(file)).withPacketsPerSecond(100_000_000);
    try (ResampleSource source = new ResampleSource(options)) {
      assertThat(bytesPerPacket(source)).isLessThan(0.1);
    }
  }

  private static byte[] pcap(int packets) {
    ByteBuffer bytes = ByteBuffer.allocate(24 + packets * 80).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(0xa1b2c3d4).putInt(0).putLong(0).putInt(0xFFFF).putInt(1);
    for (int i = 0; i < packets; i++) {
      bytes.putInt(1).putInt(i).putInt(64).putInt(64);
      // An IPv4 header and no more.
      bytes.put(bytes.position() + 12, (byte) 8).put(bytes.position() + 14, (byte) 0x45);
      bytes.position(bytes.position() + 64);
    }
    return bytes.array();
  }

  private static double bytesPerPacket(PacketSource source) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (RawPacketBatch batch = new RawPacketBatch(RawPacketBatch.DEFAULT_CAPACITY)) {
      fill(source, batch, WARM_UP_BATCHES);
      long before = threads.getCurrentThreadAllocatedBytes();
      long packets = fill(source, batch, MEASURED_BATCHES);
      return (threads.getCurrentThreadAllocatedBytes() - before) / (double) packets;
    }
  }

  private static long fill(PacketSource source, RawPacketBatch batch, int batches) {
    long packets = 0;
    for (int i = 0; i < batches; i++) {
      packets += source.fill(batch);
    }
    return packets;
  }
}
