// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap;

import java.util.concurrent.TimeUnit;

/**
 * How many packets a tap takes from its source at once: many where they go on at once, and no more
 * than go on within a few milliseconds where they are sent at a pace, so that few wait in the tap.
 */
final class ReadAhead {
  private static final long LONGEST_NS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long SHORTEST_NS = LONGEST_NS / 4;

  private final int most;
  private int packets = 1;

  ReadAhead(int most) {
    this.most = most;
  }

  int packets() {
    return packets;
  }

  /** So long it took until the latest of them had gone on. */
  void took(long ns) {
    if (ns > LONGEST_NS) {
      packets = Math.max(1, packets / 2);
    } else if (ns < SHORTEST_NS) {
      packets = Math.min(most, packets * 2);
    }
  }
}
