// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import dev.flowstone.raw.RawPacketBatch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory for the frames of a batch, one slot each, and the sums over all that went into them. Every
 * frame ends in the same payload, so that slots have it from the start and templates are short.
 */
final class FrameSlots {
  static final int COUNT = RawPacketBatch.DEFAULT_CAPACITY;

  /** What a frame shows of itself, as a mirroring router would cut it. */
  static final int BYTES = 128;

  /** A frame may start some bytes behind its slot's beginning. */
  static final int SLOT_BYTES = BYTES + Long.BYTES;

  private static final int LINK_TYPE_ETHERNET = 1;

  private final MemorySegment memory;
  private RawPacketBatch batch;
  private int room;
  private long packets;
  private long wireBytes;
  private long capturedBytes;
  private long latestNs;

  FrameSlots(long startNs, Arena arena) {
    memory = arena.allocate((long) COUNT * SLOT_BYTES, Long.BYTES).fill(FrameTemplate.PAYLOAD_BYTE);
    latestNs = startNs;
  }

  /** Starts an empty batch of so many packets at most. */
  void begin(RawPacketBatch newBatch, long mostPackets) {
    batch = newBatch;
    batch.begin(memory);
    room = (int) Math.min(Math.min(batch.room(), COUNT), mostPackets);
  }

  /** The batch is as full as it will get. */
  void end() {
    packets += batch.count();
  }

  MemorySegment memory() {
    return memory;
  }

  /** Where the next slot begins. */
  long offset() {
    return (long) batch.count() * SLOT_BYTES;
  }

  /** How many more packets the batch takes. */
  int room() {
    return room - batch.count();
  }

  /** Adds the frame that was written so many bytes behind {@link #offset()}. */
  void append(int shiftBytes, long timeNs, int frameBytes) {
    int captured = Math.min(frameBytes, BYTES);
    batch.append(offset() + shiftBytes, timeNs, captured, frameBytes, LINK_TYPE_ETHERNET, 0);
    latestNs = timeNs;
    wireBytes += frameBytes;
    capturedBytes += captured;
  }

  /** In all batches that have ended. */
  long packets() {
    return packets;
  }

  long wireBytes() {
    return wireBytes;
  }

  long capturedBytes() {
    return capturedBytes;
  }

  long latestNs() {
    return latestNs;
  }
}
