// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.offheap.ring.RingLanes.Occupant;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Takes the space of readers that are gone for good, when a producer finds no room. Looks no more
 * often than once in a while, because a producer may be short of room at every packet. One thread.
 */
final class AbandonedLanes {
  private static final long LOOK_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final RingLanes lanes;
  private long longestSilenceNs = Long.MAX_VALUE;
  private Consumer<Occupant> listener = _ -> {};
  private long lookedNs = System.nanoTime() - LOOK_INTERVAL_NS;
  private long freedCount;

  AbandonedLanes(RingLanes lanes) {
    this.lanes = lanes;
  }

  /** Bears no silence longer than this, whatever readers ask for, and says whose lane was freed. */
  void limit(Duration longestSilence, Consumer<Occupant> whenFreed) {
    longestSilenceNs = longestSilence.toNanos();
    listener = whenFreed;
  }

  /** Whether there may be more room now. */
  boolean free() {
    long nowNs = System.nanoTime();
    if (nowNs - lookedNs < LOOK_INTERVAL_NS) {
      return false;
    }
    lookedNs = nowNs;
    long freedBefore = freedCount;
    lanes.freeAbandoned(longestSilenceNs, this::freed);
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
