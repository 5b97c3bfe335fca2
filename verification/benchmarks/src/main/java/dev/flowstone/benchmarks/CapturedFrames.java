// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.model.abi.RawPacketLayout;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Frames of a source, packed one after the other in one large piece of memory as in a capture file,
 * with their descriptors. Whoever made them closes them. One thread.
 */
final class CapturedFrames implements AutoCloseable {
  /** What a capture file has before each frame; leaves frames as unaligned as they are there. */
  private static final int FRAME_HEADER_BYTES = 16;

  private static final long LINE_BYTES = 64;

  /** On average, where frames are cut off after their headers or are short. */
  private static final long MOST_BYTES_PER_PACKET = 256;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment frames;
  private final MemorySegment descriptors;
  private final long mostPackets;
  private long framesBytes;
  private long count;

  /**
   * @param mostPackets no more are taken
   * @param mostBytes nor more than fit here
   */
  CapturedFrames(long mostPackets, long mostBytes) {
    this.mostPackets = mostPackets;
    frames = arena.allocate(mostBytes, LINE_BYTES);
    descriptors = arena.allocate(mostPackets * RawPacketLayout.SIZE_BYTES, LINE_BYTES);
  }

  /** The first packets of a source, in no more memory than frames of such traffic take. */
  static CapturedFrames of(PacketSource source, long mostPackets) {
    return new CapturedFrames(mostPackets, mostPackets * MOST_BYTES_PER_PACKET).take(source);
  }

  /** Takes what the source has, as far as there is room. */
  CapturedFrames take(PacketSource source) {
    try (RawPacketBatch batch = new RawPacketBatch(RawPacketBatch.DEFAULT_CAPACITY)) {
      while (source.fill(batch) != PacketSource.END && takeAll(batch)) {
        // until either is exhausted
      }
    }
    return this;
  }

  /** Whether there was room for the whole batch. */
  private boolean takeAll(RawPacketBatch batch) {
    for (int i = 0; i < batch.count(); i++) {
      int capturedBytes = batch.capturedBytes(i);
      long offset = framesBytes + FRAME_HEADER_BYTES;
      if (count == mostPackets || offset + capturedBytes > frames.byteSize()) {
        return false;
      }
      MemorySegment.copy(batch.base(), batch.dataOffset(i), frames, offset, capturedBytes);
      long target = count * RawPacketLayout.SIZE_BYTES;
      MemorySegment.copy(
          batch.descriptors(),
          i * RawPacketLayout.SIZE_BYTES,
          descriptors,
          target,
          RawPacketLayout.SIZE_BYTES);
      descriptors.set(LittleEndian.LONG, target + RawPacketLayout.DATA_OFFSET_OFFSET, offset);
      framesBytes = offset + capturedBytes;
      count++;
    }
    return true;
  }

  MemorySegment frames() {
    return frames;
  }

  MemorySegment descriptors() {
    return descriptors;
  }

  long count() {
    return count;
  }

  double bytesPerFrame() {
    return (double) framesBytes / count - FRAME_HEADER_BYTES;
  }

  /** Reads one word of each frame: what it costs at least to have its first line in the cache. */
  long touchEach() {
    long sum = 0;
    for (long i = 0; i < count; i++) {
      long offset =
          descriptors.get(
              LittleEndian.LONG,
              i * RawPacketLayout.SIZE_BYTES + RawPacketLayout.DATA_OFFSET_OFFSET);
      sum += frames.get(LittleEndian.LONG_UNALIGNED, offset);
    }
    return sum;
  }

  @Override
  public void close() {
    arena.close();
  }
}
