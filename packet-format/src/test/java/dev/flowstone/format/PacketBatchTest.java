// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketRecordLayout.SIZE_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PacketBatchTest {
  private static final int PACKETS = 4096;
  private static final long RECORDS_BYTES = PACKETS * SIZE_BYTES;

  /** Objects around the bytes: headers, segments, what an interpreter boxes. */
  private static final long BESIDES_BYTES = 16 << 10;

  /** Counts how often a message was gone through. */
  private static final class CountingChecksum implements Checksum {
    private final CRC32C crc = new CRC32C();
    private int computed;

    @Override
    public void update(int value) {
      crc.update(value);
    }

    @Override
    public void update(byte[] bytes, int offset, int length) {
      crc.update(bytes, offset, length);
    }

    @Override
    public long getValue() {
      computed++;
      return crc.getValue();
    }

    @Override
    public void reset() {
      crc.reset();
    }
  }

  @ParameterizedTest
  @EnumSource(BodyKind.class)
  void shouldCheckAMessageOnce(BodyKind body) {
    final CountingChecksum crc = new CountingChecksum();
    PacketBatch.decode(new PacketBatchDecoder(new BatchChecksum(crc)), message(body));
    assertThat(crc.computed).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(BodyKind.class)
  void shouldCopyAMessageOnce(BodyKind body) {
    final byte[] message = message(body);
    final PacketBatchDecoder decoder = new PacketBatchDecoder();
    PacketBatch.decode(decoder, message);
    final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    final long before = threads.getCurrentThreadAllocatedBytes();
    final PacketBatch batch = PacketBatch.decode(decoder, message);
    final long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    final long decoded = body == BodyKind.RAW ? 0 : RECORDS_BYTES;
    assertThat(allocated).isLessThan(message.length + decoded + BESIDES_BYTES);
    assertThat(batch.count()).isEqualTo(PACKETS);
  }

  @ParameterizedTest
  @EnumSource(BodyKind.class)
  void shouldNotChangeWithTheArrayItCameFrom(BodyKind body) {
    final byte[] message = message(body);
    final byte[] sent = message.clone();
    final PacketBatch batch = PacketBatch.decode(new PacketBatchDecoder(), message);
    final MemorySegment before = MemorySegment.ofArray(new byte[(int) RECORDS_BYTES]);
    before.copyFrom(batch.records());
    message[message.length / 2] ^= 1;
    batch.toMessage()[0] ^= 1;
    assertThat(batch.records().mismatch(before)).isEqualTo(-1);
    assertThat(batch.toMessage()).isEqualTo(sent);
  }

  private static byte[] message(BodyKind body) {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment records = arena.allocate(RECORDS_BYTES, 64);
      new TrafficMix(21, 500, 1.0).fill(records, PACKETS);
      final PacketBatchEncoder encoder = new PacketBatchEncoder(body, PACKETS);
      return encoder.encode(RoundTrip.ORIGIN, records, 0, PACKETS);
    }
  }
}
