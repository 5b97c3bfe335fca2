// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Holds a batch back until it is due. The schedule is absolute, so that a late batch is caught up
 * with and the average is exact. One thread.
 */
public final class Pacer {
  /** The scheduler wakes a sleeper late by up to this much: the rest is spun away. */
  private static final long SPIN_NS = TimeUnit.MICROSECONDS.toNanos(80);

  private enum Schedule {
    NONE,
    RECORDED,
    RATE
  }

  private final Schedule schedule;
  private final double factor;
  private long startNs;
  private long firstPacketNs;
  private long packets;
  private boolean started;

  private Pacer(Schedule schedule, double factor) {
    this.schedule = schedule;
    this.factor = factor;
  }

  /** As fast as possible. */
  public static Pacer unlimited() {
    return new Pacer(Schedule.NONE, 1);
  }

  /** As recorded, {@code factor} times as fast. */
  public static Pacer recorded(double factor) {
    return new Pacer(Schedule.RECORDED, requirePositive("speed", factor));
  }

  /** A fixed rate. */
  public static Pacer packetsPerSecond(double rate) {
    return new Pacer(Schedule.RATE, requirePositive("rate", rate));
  }

  private static double requirePositive(String what, double value) {
    if (!(value > 0) || Double.isInfinite(value)) {
      throw new IllegalArgumentException(what + " must be more than 0: " + value);
    }
    return value;
  }

  /** Returns when the batch's first packet is due. */
  public void await(RawPacketBatch batch) {
    if (schedule == Schedule.NONE) {
      return;
    }
    long firstNs = batch.timeNs(0);
    if (!started) {
      started = true;
      startNs = System.nanoTime();
      firstPacketNs = firstNs;
    }
    double sinceStartNs =
        schedule == Schedule.RATE ? packets * 1e9 / factor : (firstNs - firstPacketNs) / factor;
    packets += batch.count();
    sleepUntil(startNs + (long) sinceStartNs);
  }

  private static void sleepUntil(long dueNs) {
    long leftNs = dueNs - System.nanoTime();
    while (leftNs > 0 && !Thread.currentThread().isInterrupted()) {
      if (leftNs > SPIN_NS) {
        LockSupport.parkNanos(leftNs - SPIN_NS);
      } else {
        Thread.onSpinWait();
      }
      leftNs = dueNs - System.nanoTime();
    }
  }
}
