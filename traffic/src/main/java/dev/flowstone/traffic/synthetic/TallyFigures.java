// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

/** What one 5-tuple has sent; gaps are meaningless below two packets. */
record TallyFigures(
    long packets, long wireBytes, long firstNs, long lastNs, long minGapNs, long maxGapNs) {
  static TallyFigures single(long timeNs, long wireBytes) {
    return new TallyFigures(1, wireBytes, timeNs, timeNs, Long.MAX_VALUE, Long.MIN_VALUE);
  }
}
