// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.offheap.ring.RingLanes.Occupant;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Takes the space of readers that are gone for good, when a producer finds no room. Looks no more
 * often than once in a while, because a producer may be short of room at every packet. One thread.
 */
final class AbandonedLanes {
  static final long LOOK_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final RingLanes lanes;
  private long longestSilenceNs = Long.MAX_VALUE;
  private Consumer<Occupant> listener = _ -> {};
  private LongSupplier nanoTime = System::nanoTime;
  private long lookedNs = System.nanoTime() - LOOK_INTERVAL_NS;
  private long freedCount;

  AbandonedLanes(RingLanes lanes) {
    this.lanes = lanes;
  }

  /**
   * Bears no silence longer than this, whatever readers ask for, and says whose lane was freed.
   *
   * @param clock measures that silence and the time between two looks
   */
  void limit(Duration longestSilence, Consumer<Occupant> whenFreed, LongSupplier clock) {
    longestSilenceNs = longestSilence.toNanos();
    listener = whenFreed;
    nanoTime = clock;
    lookedNs = clock.getAsLong() - LOOK_INTERVAL_NS;
  }

  /** Whether there may be more room now. */
  boolean free() {
    long nowNs = nanoTime.getAsLong();
    if (nowNs - lookedNs < LOOK_INTERVAL_NS) {
      return false;
    }
    lookedNs = nowNs;
    long freedBefore = freedCount;
    lanes.freeAbandoned(nowNs, longestSilenceNs, this::freed);
    return freedCount > freedBefore;
  }

  private void freed(Occupant occupant) {
    freedCount++;
    listener.accept(occupant);
  }

  /** Lanes freed so far. */
  long freedCount() {
    return freedCount;
  }
}
