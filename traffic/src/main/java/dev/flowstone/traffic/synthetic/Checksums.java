// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

/**
 * Internet checksums of headers and of the payload that all frames share. Sums are of 16-bit words;
 * a 32-bit word may be added as it is, as 2^16 leaves 1 when divided by 2^16 - 1.
 */
final class Checksums {
  private static final int PAYLOAD_WORD =
      (FrameTemplate.PAYLOAD_BYTE << Byte.SIZE) | FrameTemplate.PAYLOAD_BYTE;
  private static final long INT_MASK = 0xFFFF_FFFFL;

  private Checksums() {}

  /** Sum over the upper and the lower half of a word. */
  static long sum(long word) {
    return (word >>> Integer.SIZE) + (word & INT_MASK);
  }

  /** Sum over so many bytes of payload, from an even offset on. */
  static long payload(int bytes) {
    return (long) (bytes >>> 1) * PAYLOAD_WORD
        + (bytes & 1L) * (FrameTemplate.PAYLOAD_BYTE << Byte.SIZE);
  }

  /** Ones' complement sum in 16 bits. */
  static int fold(long sum) {
    int words = (int) sum(sum(sum));
    // The upper half gets the sum of both and the carry of the lower one.
    return (words + Integer.rotateLeft(words, Short.SIZE)) >>> Short.SIZE;
  }

  /** What stands in a header whose words have this sum. */
  static short of(long sum) {
    return (short) ~fold(sum);
  }

  /** The same in UDP, where 0 means that there is none. */
  static short ofUdp(long sum) {
    short checksum = of(sum);
    return checksum == 0 ? (short) 0xFFFF : checksum;
  }
}
