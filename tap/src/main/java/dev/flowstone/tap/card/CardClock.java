// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import java.util.List;

/**
 * Keeps the card's clock at the host's: once a second it is made to run a little faster or slower,
 * so that it never jumps. It counts the kernel's cycles, of which there are fewer in a second where
 * the card was built for a lower frequency: so its rate is measured. One thread.
 *
 * <p>Each port has a counter of its own. All count the same cycles and get the same rates, one
 * after the other. If the thread is preempted in between, their difference grows by the length of
 * the preemption times the change of the rate: 10 ms and 500 parts per million are 5 µs.
 */
final class CardClock {
  /** What is made good within a second: half of what it is off. */
  private static final double SHARE = 0.5;

  /** Oscillators are a hundred parts per million off at the worst; the rest is for catching up. */
  private static final double MOST_CORRECTION = 500e-6;

  /** A rate that is off by more is not the oscillator's doing. */
  private static final double MOST_DRIFT = 300e-6;

  /** What another frequency has made of the first seconds is soon made good. */
  private static final double MOST_HURRY = 0.01;

  private static final double LEAST_HURRIED_NS = 10e6;

  /** By more the host's clock itself has jumped: nobody should measure gaps meanwhile. */
  private static final double MOST_HURRIED_NS = 1e9;

  /** Slower or faster it is no clock: a second of a simulated card takes minutes. */
  private static final double LEAST_RATE = 0.5;

  private static final double MOST_RATE = 1.5;

  /** Of a look: in a second, fifty parts per million. */
  private static final long MOST_DOUBT_NS = 50_000;

  private final List<CardPort> ports;
  private long nominal;
  private long increment;
  private boolean hasLooked;
  private boolean hasLookedExactly;
  private long lookedCardNs;
  private long lookedHostNs;
  private long offsetNs;

  CardClock(List<CardPort> ports) {
    this.ports = ports;
    // A tap that was killed may have left it a little off.
    nominal = Integer.toUnsignedLong(ports.getFirst().timeIncrement());
    increment = nominal;
  }

  /**
   * Looks at both clocks, and corrects the card's.
   *
   * @param cardNs the first port's
   * @param doubtNs how long reading both took, in which the processor may have been away
   */
  void discipline(long cardNs, long hostNs, long doubtNs) {
    offsetNs = cardNs - hostNs;
    double rate = (cardNs - lookedCardNs) / (double) (hostNs - lookedHostNs);
    boolean isClock = hasLooked && rate > LEAST_RATE && rate < MOST_RATE;
    boolean isExact = doubtNs <= MOST_DOUBT_NS;
    if (isClock && isExact && hasLookedExactly) {
      measure(rate);
    }
    hasLooked = true;
    hasLookedExactly = isExact;
    lookedCardNs = cardNs;
    lookedHostNs = hostNs;
    if (isClock) {
      correct();
    }
  }

  private void measure(double rate) {
    double uncorrected = rate * nominal / increment;
    if (Math.abs(uncorrected - 1) > MOST_DRIFT) {
      nominal = Math.round(nominal / uncorrected);
    }
  }

  private void correct() {
    double off = Math.abs(offsetNs);
    double most = off > LEAST_HURRIED_NS && off < MOST_HURRIED_NS ? MOST_HURRY : MOST_CORRECTION;
    increment = Math.round(nominal * (1 + Math.clamp(-offsetNs * SHARE / 1e9, -most, most)));
    ports.forEach(port -> port.setTimeIncrement((int) increment));
  }

  /** How far it was ahead of the host's at the latest look. */
  long offsetNs() {
    return offsetNs;
  }
}
