// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model;

import static dev.flowstone.model.abi.RingFileHeaderLayout.STREAM_RING_MASK;
import static dev.flowstone.model.abi.RingFileHeaderLayout.STREAM_RING_SHIFT;
import static dev.flowstone.model.abi.RingFileHeaderLayout.STREAM_TAP_MASK;
import static dev.flowstone.model.abi.RingFileHeaderLayout.STREAM_TAP_SHIFT;

import java.util.random.RandomGenerator;

/**
 * The number that names a ring's packets everywhere, over restarts of the tap and new names of the
 * host: one random number for all rings that a folder's taps fill, and the ring's own.
 */
public final class StreamNumber {
  /** Of packets whose message is too old to say. */
  public static final long UNKNOWN = 0;

  /** 2^64 over the golden ratio: its products are spread well in their upper bits. */
  private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

  private StreamNumber() {}

  public static long of(long tap, int ring) {
    return (tap & STREAM_TAP_MASK) << STREAM_TAP_SHIFT | (ring & STREAM_RING_MASK);
  }

  /**
   * A number for a folder that no tap has filled before: positive, so that no stream is below 0.
   */
  public static long newTap(RandomGenerator random) {
    return random.nextLong(1, STREAM_TAP_MASK >>> 1);
  }

  /** What all rings of a folder's taps have in common. */
  public static long tap(long stream) {
    return stream >>> STREAM_TAP_SHIFT & STREAM_TAP_MASK;
  }

  public static int ring(long stream) {
    return (int) (stream >>> STREAM_RING_SHIFT & STREAM_RING_MASK);
  }

  /**
   * Which of so many parts a stream belongs to. The rings of one tap go to neighbouring parts, and
   * each tap begins at another one, so that neither many rings nor many taps crowd together.
   */
  public static int part(long stream, int parts) {
    long first = (tap(stream) * GOLDEN) >>> Integer.SIZE;
    return (int) Long.remainderUnsigned(first + ring(stream), parts);
  }

  public static String text(long stream) {
    return String.format("%016x", stream);
  }
}
