// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

/**
 * A ring's clock as a reader knows it at its position.
 *
 * @param baseNs time of the latest TIME record, UTC nanoseconds; {@link #NEVER} without any
 * @param isKnown false: what follows cannot be dated before the next TIME record; the base is that
 *     of the last one before a jump or in an earlier incarnation
 * @param isTrusted what that record said of the clock
 */
public record RingTime(long baseNs, boolean isKnown, boolean isTrusted) {
  public static final long NEVER = Long.MIN_VALUE;

  static final RingTime UNKNOWN = new RingTime(NEVER, false, false);

  RingTime lost() {
    return isKnown ? new RingTime(baseNs, false, isTrusted) : this;
  }
}
