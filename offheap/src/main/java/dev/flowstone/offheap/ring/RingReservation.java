// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import java.util.function.LongUnaryOperator;

/**
 * The producer's permission to write over old slots: announced first, then held against the lanes.
 *
 * <p>The counterpart of {@link RingWindow}: the producer stores its announcement and then reads the
 * lanes, a reader stores its lane and then reads the announcement. At least one sees the other.
 */
final class RingReservation {
  private final RingHeader words;
  private final LongUnaryOperator leastHeld;
  private final long slotCount;

  /**
   * @param leastHeld the least position that a lane holds, or Long.MAX_VALUE; given the producer's
   */
  RingReservation(RingHeader words, LongUnaryOperator leastHeld, long slotCount) {
    this.words = words;
    this.leastHeld = leastHeld;
    this.slotCount = slotCount;
  }

  /**
   * Announces up to {@code wantedSlots} from the producer's position on, as far as the lanes allow;
   * looks at them again afterwards, because a reader may have come in between.
   *
   * @return the position below which the producer may write
   */
  long reserve(long position, long wantedSlots) {
    long reserved = announce(position, Math.min(position + wantedSlots, allowed(position)));
    long allowedNow = allowed(position);
    return allowedNow < reserved ? announce(position, allowedNow) : reserved;
  }

  /**
   * Never below the producer's position, even if a lane asks for what is long gone: its reader must
   * see that it came too late.
   */
  private long announce(long position, long reserved) {
    long announced = Math.max(position, reserved);
    words.announceReserved(announced);
    return announced;
  }

  private long allowed(long position) {
    long held = leastHeld.applyAsLong(position);
    return held == Long.MAX_VALUE ? held : held + slotCount;
  }
}
