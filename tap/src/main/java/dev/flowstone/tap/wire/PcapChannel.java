// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.wire;

import dev.flowstone.raw.RawPacketBatch;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.TimeUnit;

/**
 * Writes frames of Ethernet as a pcap with times in nanoseconds, without an object for each.
 * Whoever made it closes it, and the channel. One thread.
 */
final class PcapChannel implements AutoCloseable {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final int NANOSECONDS = 0xA1B23C4D;
  private static final int VERSION_2_4 = 4 << 16 | 2;
  private static final int ETHERNET = 1;
  private static final int FILE_HEADER_BYTES = 24;
  private static final int FRAME_HEADER_BYTES = 16;

  /** The longest frame that anybody sends, and some hundred usual ones beside it. */
  private static final int LONGEST_FRAME_BYTES = 1 << 16;

  private static final int BUFFER_BYTES = 4 * LONGEST_FRAME_BYTES;

  private final WritableByteChannel channel;
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment memory = arena.allocate(BUFFER_BYTES);
  private final ByteBuffer buffer = memory.asByteBuffer();
  private int filled;

  PcapChannel(WritableByteChannel channel) {
    this.channel = channel;
    for (int word : new int[] {NANOSECONDS, VERSION_2_4, 0, 0, LONGEST_FRAME_BYTES, ETHERNET}) {
      memory.set(INT, filled, word);
      filled += Integer.BYTES;
    }
    assert filled == FILE_HEADER_BYTES;
  }

  /** Writes so many frames of a batch; returns when the channel has them. */
  void write(RawPacketBatch batch, int from, int count) throws IOException {
    MemorySegment frames = batch.base();
    for (int index = from; index < from + count; index++) {
      int bytes = batch.capturedBytes(index);
      if (bytes > LONGEST_FRAME_BYTES) {
        throw new IllegalStateException("a frame of " + bytes + " bytes fits into no wire");
      }
      if (filled + FRAME_HEADER_BYTES + bytes > BUFFER_BYTES) {
        flush();
      }
      append(batch, index, bytes);
      MemorySegment.copy(frames, batch.dataOffset(index), memory, filled, bytes);
      filled += bytes;
    }
    flush();
  }

  private void append(RawPacketBatch batch, int index, int bytes) {
    long timeNs = batch.timeNs(index);
    long secondNs = TimeUnit.SECONDS.toNanos(1);
    memory.set(INT, filled, (int) (timeNs / secondNs));
    memory.set(INT, filled + 4L, (int) (timeNs % secondNs));
    memory.set(INT, filled + 8L, bytes);
    memory.set(INT, filled + 12L, (int) batch.wireBytes(index));
    filled += FRAME_HEADER_BYTES;
  }

  private void flush() throws IOException {
    buffer.clear().limit(filled);
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
    filled = 0;
  }

  @Override
  public void close() {
    arena.close();
  }
}
