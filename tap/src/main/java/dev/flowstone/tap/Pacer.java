// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap;

import dev.flowstone.model.abi.RawPacketFlag;
import dev.flowstone.raw.RawPacketBatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Says how many packets of a batch are due. A packet is never early and, while the machine keeps
 * up, late by about {@value #BURST_NS} ns at most: it sleeps that long and lets out together what
 * came due meanwhile, 500 packets at a million a second. Due times count from the start, so that
 * the average is exact although sleeps are not. One thread.
 */
public final class Pacer {
  static final long BURST_NS = 500_000;

  /** No call waits longer, so that its caller can see to heartbeats. */
  static final long LONGEST_WAIT_NS = 50_000_000;

  /**
   * Nobody waits longer for one packet: its recorded time is damaged, or the capture has a hole. A
   * packet beyond is due at once, and those that follow count from it.
   */
  public static final long LONGEST_GAP_NS = TimeUnit.MINUTES.toNanos(10);

  private static final double SECOND_NS = 1e9;

  private final boolean paced;
  private final Schedule schedule;
  private final LongSupplier nanoTime;
  private final LongConsumer sleepNs;
  private long startNs;
  private boolean started;
  private long passed;
  private long behindNs;
  private long shiftNs;
  private long skippedGaps;

  /** When a packet is due, counted from the first one. */
  @FunctionalInterface
  private interface Schedule {
    long dueNs(RawPacketBatch batch, int index, long position);
  }

  private Pacer(boolean paced, Schedule schedule, LongSupplier nanoTime, LongConsumer sleepNs) {
    this.paced = paced;
    this.schedule = schedule;
    this.nanoTime = nanoTime;
    this.sleepNs = sleepNs;
  }

  /** Every packet is due at once. */
  public static Pacer unpaced() {
    return new Pacer(
        false, (batch, index, position) -> 0, System::nanoTime, LockSupport::parkNanos);
  }

  /** So many packets a second, whatever their times. */
  public static Pacer packetsPerSecond(double rate) {
    return packetsPerSecond(rate, System::nanoTime, LockSupport::parkNanos);
  }

  static Pacer packetsPerSecond(double rate, LongSupplier nanoTime, LongConsumer sleepNs) {
    if (!(rate > 0) || rate > SECOND_NS) {
      throw new IllegalArgumentException(
          "rate must be above 0 and at most 10^9 packets/s: rate=" + rate);
    }
    double gapNs = SECOND_NS / rate;
    return new Pacer(
        true, (batch, index, position) -> (long) (position * gapNs), nanoTime, sleepNs);
  }

  /** As the packets' own times say, {@code speed} times as fast. */
  public static Pacer recorded(double speed) {
    return recorded(speed, System::nanoTime, LockSupport::parkNanos);
  }

  static Pacer recorded(double speed, LongSupplier nanoTime, LongConsumer sleepNs) {
    if (!(speed > 0) || speed > SECOND_NS) {
      throw new IllegalArgumentException(
          "speed must be above 0 and at most 10^9 times the recorded one: speed=" + speed);
    }
    return new Pacer(true, new RecordedSchedule(speed), nanoTime, sleepNs);
  }

  /**
   * How many packets from index {@code from} on are due; waits for the first of them, but not for
   * long: 0 means ask again.
   */
  public int awaitDue(RawPacketBatch batch, int from) {
    int left = batch.count() - from;
    if (!paced || left == 0) {
      return left;
    }
    if (!started) {
      started = true;
      startNs = nanoTime.getAsLong();
    }
    long nowNs = nanoTime.getAsLong() - startNs;
    skipGap(schedule.dueNs(batch, from, passed), nowNs);
    long dueNs = schedule.dueNs(batch, from, passed) - shiftNs;
    if (dueNs > nowNs) {
      sleepNs.accept(Math.min(dueNs - nowNs + BURST_NS, LONGEST_WAIT_NS));
      nowNs = nanoTime.getAsLong() - startNs;
    }
    behindNs = Math.max(0, nowNs - dueNs);
    int due = countDue(batch, from, left, nowNs);
    passed += due;
    return due;
  }

  private void skipGap(long scheduledNs, long nowNs) {
    if (Math.abs(scheduledNs - shiftNs - nowNs) > LONGEST_GAP_NS) {
      shiftNs = scheduledNs - nowNs;
      skippedGaps++;
    }
  }

  private int countDue(RawPacketBatch batch, int from, int left, long nowNs) {
    int due = 0;
    while (due < left && isDue(schedule.dueNs(batch, from + due, passed + due) - shiftNs, nowNs)) {
      due++;
    }
    return due;
  }

  /** What is beyond a gap, in either direction, is looked at by itself. */
  private static boolean isDue(long dueNs, long nowNs) {
    return dueNs <= nowNs && nowNs - dueNs <= LONGEST_GAP_NS;
  }

  /** How late the latest packets were: more than a few milliseconds mean a machine too slow. */
  public long behindNs() {
    return behindNs;
  }

  /** Gaps that were too long to wait for. */
  public long skippedGaps() {
    return skippedGaps;
  }

  /** Counts from the first packet's time; packets that are older than it are due at once. */
  private static final class RecordedSchedule implements Schedule {
    private final double speed;
    private boolean hasOrigin;
    private long originNs;

    RecordedSchedule(double speed) {
      this.speed = speed;
    }

    @Override
    public long dueNs(RawPacketBatch batch, int index, long position) {
      long timeNs = batch.timeNs(index);
      if (!hasOrigin) {
        if ((batch.flags(index) & RawPacketFlag.UNTIMED) != 0) {
          return 0;
        }
        hasOrigin = true;
        originNs = timeNs;
      }
      return (long) ((timeNs - originNs) / speed);
    }
  }
}
