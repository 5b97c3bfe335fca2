// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import java.util.concurrent.TimeUnit;

/** How often a card's memory refused a write of late. One thread counts. */
final class WriteRefusals {
  /** A memory that refuses writes again and again is no accident. */
  private static final int MOST = 3;

  private static final long WITHIN_NS = TimeUnit.MINUTES.toNanos(1);

  private long sinceNs = System.nanoTime();
  private int count;

  /** One more. */
  void add() {
    if (System.nanoTime() - sinceNs > WITHIN_NS) {
      sinceNs = System.nanoTime();
      count = 0;
    }
    count++;
  }

  boolean areTooMany() {
    return count > MOST;
  }
}
