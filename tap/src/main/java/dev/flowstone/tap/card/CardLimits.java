// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import java.time.Duration;

/**
 * The time limits of a tap for its card and for the readers of its ring files.
 *
 * @param start from the start of a kernel until the kernel runs; a start is a write to a register,
 *     however many writes precede it in XRT's queue
 * @param stop from the stop of a kernel until the kernel has ended; kernels stop within
 *     microseconds, simulated kernels within seconds
 * @param silence without a TIME record in any ring, or without progress of the card's clock; a
 *     kernel writes a TIME record once a second
 * @param fullRing from the end of the kernels, for readers of full ring files
 * @param drain from the end of the kernels, for all records in the card; the largest rings of a
 *     card take about three seconds
 */
record CardLimits(
    Duration start, Duration stop, Duration silence, Duration fullRing, Duration drain) {
  static final CardLimits DEFAULT =
      new CardLimits(
          Duration.ofSeconds(3),
          Duration.ofSeconds(3),
          Duration.ofSeconds(5),
          Duration.ofSeconds(2),
          Duration.ofSeconds(8));

  /** Two sources, two ports and the rings, one after the other. */
  private static final int STOPS = 5;

  /** Returns the maximum time from the request to stop until the tap has ended. */
  Duration end() {
    return stop.multipliedBy(STOPS).plus(drain).plusSeconds(1);
  }

  CardLimits withStart(Duration limit) {
    return new CardLimits(limit, stop, silence, fullRing, drain);
  }

  CardLimits withStop(Duration limit) {
    return new CardLimits(start, limit, silence, fullRing, drain);
  }

  CardLimits withSilence(Duration limit) {
    return new CardLimits(start, stop, limit, fullRing, drain);
  }

  CardLimits withFullRing(Duration limit) {
    return new CardLimits(start, stop, silence, limit, drain);
  }
}
