// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

/**
 * One random number per packet decides all that is random about it: the ten lowest bits choose the
 * gap before it ({@link ArrivalGaps}), the others what it is like.
 *
 * <pre>
 *   63    60 59  57 56        47 46  40 39    34 33      18 17       10 9   0
 *   | delay | fate | misfortune | turns | jitter | length   | is partial | gap |
 * </pre>
 */
final class PacketBits {
  private static final int PARTIAL_SHIFT = 10;
  private static final int LENGTH_SHIFT = 18;
  private static final int JITTER_SHIFT = 34;
  private static final int TURNS_SHIFT = 40;
  private static final int TURNS_BITS = 7;
  private static final int MISFORTUNE_SHIFT = 47;
  private static final int FATE_SHIFT = 57;
  private static final int DELAY_SHIFT = 60;

  /** Of 1,024 segments so many come late: five of eight of them again, which makes 1 %. */
  private static final int MISFORTUNES = 18;

  private static final int FATES_OF_REORDERING = 3;
  private static final int FATES_WITHOUT_FIRST_COPY = 6;
  private static final int SHORTEST_RETRANSMISSION = 3;

  private PacketBits() {}

  static boolean isPartial(long bits, int of256) {
    return ((bits >>> PARTIAL_SHIFT) & 0xFF) < of256;
  }

  /** From 0 to below a bound. */
  static int below(long bits, int bound) {
    return (int) ((((bits >>> LENGTH_SHIFT) & 0xFFFF) * bound) >>> Short.SIZE);
  }

  /** From 0 to 63. */
  static int jitter(long bits) {
    return (int) (bits >>> JITTER_SHIFT) & 0x3F;
  }

  /** From 1 to most. */
  static int turns(long bits, int most) {
    int draw = (int) (bits >>> TURNS_SHIFT) & ((1 << TURNS_BITS) - 1);
    return 1 + ((draw * most) >>> TURNS_BITS);
  }

  static boolean isMisfortune(long bits) {
    return ((bits >>> MISFORTUNE_SHIFT) & 0x3FF) < MISFORTUNES;
  }

  /** Whether a segment that comes late is missing in its place. */
  static boolean isMissing(long bits) {
    return ((bits >>> FATE_SHIFT) & 7) < FATES_WITHOUT_FIRST_COPY;
  }

  /** How many of the talker's packets later it comes: the next one where two changed places. */
  static int delay(long bits) {
    return ((bits >>> FATE_SHIFT) & 7) < FATES_OF_REORDERING
        ? 1
        : SHORTEST_RETRANSMISSION + (int) (bits >>> DELAY_SHIFT);
  }
}
