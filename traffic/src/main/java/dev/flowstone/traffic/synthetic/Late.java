// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

/**
 * A segment that comes later, in its turn or again, packed into one word.
 *
 * <pre>
 *   63       32 31          16 15    0
 *   | sequence | payloadBytes | delay |
 * </pre>
 */
final class Late {
  /** There is none. */
  static final long NONE = 0;

  private static final int DELAY_MASK = 0xFFFF;

  private Late() {}

  /** A segment that comes as the talker's next but so many, from 1 on. */
  static long segment(int sequence, int payloadBytes, int delay) {
    return ((long) sequence << Integer.SIZE) | ((long) payloadBytes << Short.SIZE) | delay;
  }

  /** One of the talker's packets is closer. */
  static long closer(long late) {
    return late - 1;
  }

  static boolean isDue(long late) {
    return (late & DELAY_MASK) == 0;
  }

  static int sequence(long late) {
    return (int) (late >>> Integer.SIZE);
  }

  static int payloadBytes(long late) {
    return (int) late >>> Short.SIZE;
  }
}
