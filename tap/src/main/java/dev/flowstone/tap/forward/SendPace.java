// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;

/**
 * How many packets a second may be sent: rings hold the others back, where a network or a receiver
 * would lose them. Unless somebody says a number, it is somewhat more than come, so that what a
 * pause has left in the rings leaves little by little and not at once. One thread.
 */
final class SendPace {
  /** Even of a tap that is quiet or has ended, in packets per second. */
  static final double LEAST = 500_000;

  private static final double OF_WHAT_COMES = 1.5;

  /** What was not used for longer than that is not made up for. */
  private static final long MOMENT_NS = TimeUnit.MILLISECONDS.toNanos(10);

  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Of what came before, for a look: what comes in bursts keeps its pace for about a second. */
  private static final double REMEMBERED = 0.9;

  private final boolean isFixed;
  private double packetNs;
  private double comingPerSecond;
  private long offeredPackets;
  private long lookedNs;
  private boolean hasLooked;
  private long freeNs;

  /**
   * @param packetsPerSecond if somebody says so
   */
  SendPace(OptionalDouble packetsPerSecond) {
    isFixed = packetsPerSecond.isPresent();
    set(packetsPerSecond.orElse(LEAST));
  }

  private void set(double packetsPerSecond) {
    packetNs = 1e9 / packetsPerSecond;
  }

  boolean allows(long nowNs) {
    return freeNs - nowNs <= 0;
  }

  void sent(long packets, long nowNs) {
    freeNs = Math.max(freeNs, nowNs - MOMENT_NS) + (long) (packets * packetNs);
  }

  /** Whether it is time to {@link #look}. */
  boolean wantsToLook(long nowNs) {
    return !isFixed && (!hasLooked || nowNs - lookedNs >= LOOK_NS);
  }

  /** Goes by what the rings were offered until now. */
  void look(long offeredNow, long nowNs) {
    if (hasLooked) {
      double coming = (offeredNow - offeredPackets) * 1e9 / (nowNs - lookedNs);
      comingPerSecond = Math.max(coming, comingPerSecond * REMEMBERED);
      set(Math.max(LEAST, OF_WHAT_COMES * comingPerSecond));
    }
    hasLooked = true;
    offeredPackets = offeredNow;
    lookedNs = nowNs;
  }
}
