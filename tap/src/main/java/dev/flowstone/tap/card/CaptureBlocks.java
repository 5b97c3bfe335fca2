// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.model.abi.CaptureBlockLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Lays frames out as a card's source reads them: the lengths of up to 32 frames, then these, each
 * from a unit of 64 bytes on, and then the next ones. One thread; nothing is made for a frame.
 */
final class CaptureBlocks {
  /** A length has 16 bits. */
  static final int MOST_FRAME_BYTES = 0xFFFF;

  private static final int UNIT_BYTES = CaptureBlockLayout.UNIT_BYTES;
  private static final ValueLayout.OfShort LENGTH =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final MemorySegment memory;
  private long blockOffset;
  private int framesOfBlock = CaptureBlockLayout.COUNT;
  private long endOffset;

  /**
   * @param memory of which nothing is taken for granted
   */
  CaptureBlocks(MemorySegment memory) {
    this.memory = memory;
  }

  /** What a frame takes behind so many others, with the lengths that it begins. */
  static long sizeBytes(int frameBytes, long framesBefore) {
    long lengthsBytes =
        framesBefore % CaptureBlockLayout.COUNT == 0 ? CaptureBlockLayout.SIZE_BYTES : 0;
    return lengthsBytes + (long) Math.ceilDiv(frameBytes, UNIT_BYTES) * UNIT_BYTES;
  }

  /**
   * Adds a frame; the caller has seen to it that there is room.
   *
   * @param capturedBytes what there is of it from the offset on; zeros stand for the rest
   */
  void add(MemorySegment from, long offset, int capturedBytes, int frameBytes) {
    assert frameBytes > 0 && frameBytes <= MOST_FRAME_BYTES : frameBytes;
    assert capturedBytes <= frameBytes : capturedBytes;
    if (framesOfBlock == CaptureBlockLayout.COUNT) {
      beginBlock();
    }
    memory.set(
        LENGTH,
        blockOffset + CaptureBlockLayout.LENGTHS_OFFSET + (long) framesOfBlock * Short.BYTES,
        (short) frameBytes);
    framesOfBlock++;
    MemorySegment.copy(from, offset, memory, endOffset, capturedBytes);
    long wholeBytes = (long) Math.ceilDiv(frameBytes, UNIT_BYTES) * UNIT_BYTES;
    memory.asSlice(endOffset + capturedBytes, wholeBytes - capturedBytes).fill((byte) 0);
    endOffset += wholeBytes;
  }

  private void beginBlock() {
    blockOffset = endOffset;
    framesOfBlock = 0;
    memory.asSlice(blockOffset, CaptureBlockLayout.SIZE_BYTES).fill((byte) 0);
    endOffset += CaptureBlockLayout.SIZE_BYTES;
  }

  /** Where the last frame's last unit ends. */
  long endOffset() {
    return endOffset;
  }
}
