// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketRecordLayout.SIZE_BYTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Bytes per packet decide what Kafka carries; bytes allocated per packet decide what the collector
 * has to do.
 */
class PacketBatchSizeTest {
  private static final int PACKETS = 1 << 17;

  @ParameterizedTest
  @CsvSource({
    "1024, 10000, 1.0, 17.2",
    "4096, 10000, 1.0, 14",
    "16384, 10000, 1.0, 11.1",
    "4096, 50000, 0.9, 19"
  })
  void shouldKeepTrafficSmall(int count, int flows, double zipfExponent, double atMostBytes) {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment records = arena.allocate(PACKETS * SIZE_BYTES, 64);
      new TrafficMix(11, flows, zipfExponent).fill(records, PACKETS);
      final PacketBatchEncoder encoder = new PacketBatchEncoder(BodyKind.COLUMNS, count);
      long bytes = 0;
      for (int first = 0; first < PACKETS; first += count) {
        bytes += encoder.encode(RoundTrip.ORIGIN, records, first * SIZE_BYTES, count).length;
      }
      assertThat(bytes / (double) PACKETS).isLessThan(atMostBytes);
    }
  }

  /** Holds in the interpreter as well: no compiler has to find out what does not escape. */
  @ParameterizedTest
  @EnumSource(BodyKind.class)
  void shouldAllocateNothingPerPacket(BodyKind body) {
    final int count = 4096;
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment records = arena.allocate(count * SIZE_BYTES, 64);
      new TrafficMix(12, 5000, 1.0).fill(records, count);
      final PacketBatchEncoder encoder = new PacketBatchEncoder(body, count);
      final MemorySegment target = arena.allocate(count * SIZE_BYTES, 64);
      final PacketBatchDecoder decoder = new PacketBatchDecoder();
      // The first message allocates the buffers of all others.
      final byte[] message = encoder.encode(RoundTrip.ORIGIN, records, 0, count);
      decoder.decode(message, target);
      final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      final int messages = 100;
      final long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < messages; i++) {
        encoder.encode(RoundTrip.ORIGIN, records, 0, count);
        decoder.decode(message, target);
      }
      final long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      assertThat(allocated / (double) messages - message.length)
          .as("bytes allocated for a message besides it")
          .isLessThan(1024);
    }
  }

  @Test
  void shouldSayWhatFitsNoEncoder() {
    assertThatThrownBy(() -> new PacketBatchEncoder(BodyKind.RAW, 65536))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maxCount=65536");
  }
}
