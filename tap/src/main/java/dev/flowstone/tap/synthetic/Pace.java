// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

/**
 * Packet times at an exact rate with random gaps: packet i falls at a random nanosecond of the i-th
 * interval of 1e9 / rate, so times strictly increase, the rate holds over any span to one packet
 * and gaps spread from almost nothing to twice the mean.
 */
final class Pace {
  private static final long NANOSECONDS_PER_SECOND = 1_000_000_000L;

  private final XorShift random;
  private final long packetsPerSecond;
  private final long wholeNs;
  private final long remainder;
  private long intervalStartNs;
  private long accumulatedRemainder;
  private long nextTimeNs;

  Pace(long startNs, long packetsPerSecond, XorShift random) {
    this.random = random;
    this.packetsPerSecond = packetsPerSecond;
    wholeNs = NANOSECONDS_PER_SECOND / packetsPerSecond;
    remainder = NANOSECONDS_PER_SECOND % packetsPerSecond;
    intervalStartNs = startNs;
    nextTimeNs = startNs + jitterNs();
  }

  long nextTimeNs() {
    return nextTimeNs;
  }

  void advance() {
    intervalStartNs += wholeNs;
    accumulatedRemainder += remainder;
    if (accumulatedRemainder >= packetsPerSecond) {
      accumulatedRemainder -= packetsPerSecond;
      intervalStartNs++;
    }
    nextTimeNs = intervalStartNs + jitterNs();
  }

  private long jitterNs() {
    return ((random.nextLong() >>> 33) * wholeNs) >>> 31;
  }
}
