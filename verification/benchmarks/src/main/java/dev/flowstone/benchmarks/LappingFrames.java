// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.model.abi.RawPacketLayout;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.raw.SourceCounters;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;

/**
 * Frames in memory as a source without end: lap after lap, each lap's times behind the one before.
 * There are more of them than any cache holds, as when a network card has put them there. The
 * frames are the caller's.
 */
final class LappingFrames implements PacketSource {
  private final CapturedFrames captured;
  private final MemorySegment descriptors;
  private final long lapNs;
  private long shiftNs;
  private long next;
  private long packets;

  LappingFrames(CapturedFrames captured) {
    this.captured = captured;
    descriptors = captured.descriptors();
    long spanNs = timeNs(captured.count() - 1) - timeNs(0);
    lapNs = spanNs + Math.max(1, spanNs / captured.count());
  }

  private long timeNs(long index) {
    return descriptors.get(
        LittleEndian.LONG, index * RawPacketLayout.SIZE_BYTES + RawPacketLayout.TIME_NS_OFFSET);
  }

  @Override
  public int fill(RawPacketBatch batch) {
    batch.begin(captured.frames());
    int count = (int) Math.min(batch.room(), captured.count() - next);
    batch.appendAll(descriptors, next * RawPacketLayout.SIZE_BYTES, count);
    shiftTimes(batch.descriptors(), count);
    packets += count;
    next += count;
    if (next == captured.count()) {
      next = 0;
      shiftNs += lapNs;
    }
    return count;
  }

  private void shiftTimes(MemorySegment batch, int count) {
    long shift = shiftNs;
    for (int i = 0; i < count; i++) {
      long offset = i * RawPacketLayout.SIZE_BYTES + RawPacketLayout.TIME_NS_OFFSET;
      batch.set(LittleEndian.LONG, offset, batch.get(LittleEndian.LONG, offset) + shift);
    }
  }

  @Override
  public int clock() {
    return RingClock.SYNTHETIC;
  }

  @Override
  public SourceCounters counters() {
    return new SourceCounters(packets, 0, 0, 0, 0, Map.of(), List.of());
  }

  @Override
  public double progress() {
    return Double.NaN;
  }

  @Override
  public void close() {
    // The frames are not this object's.
  }
}
