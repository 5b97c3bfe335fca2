// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

/**
 * Losses of one pcapng interface. Its packets may tell how many were lost before each of them, its
 * statistics how many were lost since the capture began: a loss that both tell of counts once.
 */
final class InterfaceLosses {
  private long byPackets;
  private long byStatistics;
  private long counted;

  /** A packet tells how many were lost before it; how many of them are news. */
  long tell(long packets) {
    byPackets += packets;
    return news();
  }

  /** The statistics tell how many were lost so far; how many of them are news. */
  long tellTotal(long packets) {
    byStatistics = Math.max(byStatistics, packets);
    return news();
  }

  private long news() {
    long known = Math.max(byPackets, byStatistics);
    long news = known - counted;
    counted = known;
    return news;
  }
}
