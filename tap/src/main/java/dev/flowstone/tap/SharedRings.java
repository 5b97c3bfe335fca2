// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap;

import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.raw.PacketSource;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The rings of a tap as its carriers share them: a ring has one producer, so they take turns, a
 * batch at a time. What one wrote the next sees, because the turn is a lock.
 *
 * <p>A carrier may be behind another by what its part of the kernel's memory holds. Quiet rings
 * hear only a time that every carrier has reached: no packet to come falls short of it.
 */
final class SharedRings {
  private static final long LEFT = Long.MAX_VALUE;

  private final RingSetWriter rings;
  private final ReentrantLock turn = new ReentrantLock();
  private final long[] reachedNs;

  SharedRings(RingSetWriter rings, int carriers) {
    this.rings = rings;
    reachedNs = new long[carriers];
    Arrays.fill(reachedNs, PacketSource.NO_TIME);
  }

  /**
   * @param timeNs that the carrier has reached with these packets, or {@link PacketSource#NO_TIME}
   */
  void write(int carrier, MemorySegment rawPackets, MemorySegment records, int count, long timeNs) {
    turn.lock();
    try {
      rings.write(rawPackets, records, count);
      reach(carrier, timeNs);
    } finally {
      turn.unlock();
    }
  }

  /** No packet of this carrier that is to come has an earlier time. */
  void reach(int carrier, long timeNs) {
    if (timeNs == PacketSource.NO_TIME) {
      return;
    }
    turn.lock();
    try {
      reachedNs[carrier] = timeNs;
      tellTime();
    } finally {
      turn.unlock();
    }
  }

  private void tellTime() {
    long leastNs = LEFT;
    for (long each : reachedNs) {
      leastNs = Math.min(leastNs, each);
    }
    if (leastNs != PacketSource.NO_TIME && leastNs != LEFT) {
      rings.heartbeat(leastNs, true);
    }
  }

  void tellLosses(long beforeTap, long otherClock, long timeNs) {
    if (beforeTap == 0 && otherClock == 0) {
      return;
    }
    turn.lock();
    try {
      if (beforeTap > 0) {
        rings.lostBeforeTap(beforeTap, timeNs);
      }
      if (otherClock > 0) {
        rings.countOtherClock(otherClock);
      }
    } finally {
      turn.unlock();
    }
  }

  /** Nothing more comes from this carrier. */
  void leave(int carrier) {
    turn.lock();
    try {
      reachedNs[carrier] = LEFT;
    } finally {
      turn.unlock();
    }
  }
}
