// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

/** What one 5-tuple has sent: packets, bytes, first and last time, smallest and largest gap. */
final class FlowTally {
  long packets;
  long bytes;
  long firstNs;
  long lastNs;
  long minGapNs;
  long maxGapNs;

  FlowTally() {
    reset();
  }

  void reset() {
    packets = 0;
    bytes = 0;
    firstNs = 0;
    lastNs = 0;
    minGapNs = Long.MAX_VALUE;
    maxGapNs = Long.MIN_VALUE;
  }

  void add(long timeNs, int wireBytes) {
    if (packets++ == 0) {
      firstNs = timeNs;
    } else {
      long gapNs = timeNs - lastNs;
      minGapNs = Math.min(minGapNs, gapNs);
      maxGapNs = Math.max(maxGapNs, gapNs);
    }
    lastNs = timeNs;
    bytes += wireBytes;
  }
}
