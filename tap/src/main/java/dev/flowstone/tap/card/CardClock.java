// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

/**
 * Keeps a port's clock at the host's: once a second it is made to run a little faster or slower, so
 * that it never jumps. One thread.
 */
final class CardClock {
  /** What is made good within a second: half of what it is off. */
  private static final double SHARE = 0.5;

  /** Oscillators are a hundred parts per million off at the worst; the rest is for catching up. */
  private static final double MOST_CORRECTION = 500e-6;

  /** A clock that is off by more than that for its rate is none that follows seconds at all. */
  private static final double MOST_DRIFT = 0.01;

  /** Of 300 MHz: what is near it in the register was it before somebody corrected it. */
  private static final int USUAL = 0x35555555;

  private static final double NEAR = 0.002;

  private final CardPort port;
  private final int nominal;
  private final long startedNs;
  private long offsetNs;

  /**
   * @param startedNs when the card was started, by the host's clock, to which it was set then
   */
  CardClock(CardPort port, long startedNs) {
    this.port = port;
    this.startedNs = startedNs;
    nominal = nominal(port.timeIncrement());
  }

  private static int nominal(int found) {
    double ratio = Integer.toUnsignedLong(found) / (double) USUAL;
    return Math.abs(ratio - 1) < NEAR ? USUAL : found;
  }

  /** Looks at both clocks, and corrects the card's. */
  void discipline(long cardNs, long hostNs) {
    offsetNs = cardNs - hostNs;
    double elapsedNs = hostNs - startedNs;
    if (elapsedNs <= 0 || Math.abs(cardNs - startedNs - elapsedNs) > MOST_DRIFT * elapsedNs) {
      return; // a simulated card's time is slower than any clock
    }
    double correction = Math.clamp(-offsetNs * SHARE / 1e9, -MOST_CORRECTION, MOST_CORRECTION);
    port.setTimeIncrement((int) Math.round(Integer.toUnsignedLong(nominal) * (1 + correction)));
  }

  /** How far it was ahead of the host's at the latest look. */
  long offsetNs() {
    return offsetNs;
  }
}
