// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

/** When the packets of the microbursts come. */
final class BurstSchedule {
  private final long intervalNs;
  private final long gapNs;
  private final int packets;
  private long burstStartNs;
  private int sentInBurst;
  private long nextTimeNs;

  BurstSchedule(Microburst microburst, long startNs) {
    intervalNs = microburst.interval().toNanos();
    gapNs = microburst.gapNs();
    packets = microburst.packets();
    burstStartNs = startNs + intervalNs;
    nextTimeNs = burstStartNs;
  }

  long nextTimeNs() {
    return nextTimeNs;
  }

  void advance() {
    if (++sentInBurst == packets) {
      sentInBurst = 0;
      burstStartNs += intervalNs;
      nextTimeNs = burstStartNs;
    } else {
      nextTimeNs += gapNs;
    }
  }
}
