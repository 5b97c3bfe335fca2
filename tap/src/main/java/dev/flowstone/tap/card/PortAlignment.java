// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

/**
 * Sets a port's clock to that of another port. Registers are read and written one after the other,
 * and the thread may be preempted in between, so the result is measured and the clock is set again.
 */
final class PortAlignment {
  private static final int MAX_SETS = 16;

  /** One of them is without a preemption. */
  private static final int MEASUREMENTS = 8;

  private static final long TOLERANCE_NS = 500;

  private final CardPort reference;
  private final CardPort port;

  private PortAlignment(CardPort reference, CardPort port) {
    this.reference = reference;
    this.port = port;
  }

  /**
   * How far the port's clock is ahead of the reference.
   *
   * @param uncertaintyNs how far that may be from the truth, in either direction
   */
  private record Offset(long ns, long uncertaintyNs) {
    boolean isMeasurable() {
      return Math.abs(ns) > uncertaintyNs + TOLERANCE_NS;
    }
  }

  /**
   * Sets the time and the rate of the port to those of the reference.
   *
   * @return how far the port's clock is ahead of the reference; 0: not measurably
   */
  static long align(CardPort port, CardPort reference) {
    port.setTimeIncrement(reference.timeIncrement());
    return new PortAlignment(reference, port).align();
  }

  private long align() {
    long aheadNs = 0;
    long offsetNs = 0;
    for (int set = 0; set < MAX_SETS; set++) {
      port.setTime(reference.timeNs() + aheadNs);
      Offset offset = measure();
      if (!offset.isMeasurable()) {
        return 0;
      }
      offsetNs = offset.ns();
      aheadNs -= offsetNs;
    }
    return offsetNs;
  }

  private Offset measure() {
    Offset best = measureOnce();
    for (int measured = 1; measured < MEASUREMENTS; measured++) {
      Offset next = measureOnce();
      best = next.uncertaintyNs() < best.uncertaintyNs() ? next : best;
    }
    return best;
  }

  private Offset measureOnce() {
    long beforeNs = reference.timeNs();
    long portNs = port.timeNs();
    long halfNs = (reference.timeNs() - beforeNs) / 2;
    return new Offset(portNs - beforeNs - halfNs, halfNs);
  }
}
