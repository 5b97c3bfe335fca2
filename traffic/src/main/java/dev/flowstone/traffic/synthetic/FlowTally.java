// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

/**
 * What one 5-tuple has sent, in six words of an array: packets, bytes on the wire, time of the
 * first packet, {@link FlowGaps}.
 */
final class FlowTally {
  private static final int PACKETS = 0;
  private static final int WIRE_BYTES = 1;
  private static final int FIRST_NS = 2;
  private static final int GAPS = 3;
  static final int WORDS = GAPS + FlowGaps.WORDS;

  private FlowTally() {}

  static void reset(long[] words, int tally) {
    words[tally + PACKETS] = 0;
    words[tally + WIRE_BYTES] = 0;
    words[tally + FIRST_NS] = Long.MAX_VALUE;
    FlowGaps.reset(words, tally + GAPS);
  }

  static void add(long[] words, int tally, long timeNs, int wireBytes) {
    words[tally + PACKETS]++;
    words[tally + WIRE_BYTES] += wireBytes;
    words[tally + FIRST_NS] = Math.min(words[tally + FIRST_NS], timeNs);
    FlowGaps.add(words, tally + GAPS, timeNs);
  }

  static long packets(long[] words, int tally) {
    return words[tally + PACKETS];
  }

  static TallyFigures figures(long[] words, int tally) {
    int gaps = tally + GAPS;
    return new TallyFigures(
        words[tally + PACKETS],
        words[tally + WIRE_BYTES],
        words[tally + FIRST_NS],
        FlowGaps.lastNs(words, gaps),
        FlowGaps.minGapNs(words, gaps),
        FlowGaps.maxGapNs(words, gaps));
  }
}
