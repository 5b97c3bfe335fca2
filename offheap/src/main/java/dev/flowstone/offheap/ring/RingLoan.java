// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

/**
 * What lends a ring's memory by reference: who borrowed slots asks it, after use, whether they were
 * still the ones that were lent. Any thread.
 */
@FunctionalInterface
public interface RingLoan {

  /**
   * Whether the producer has left a position alone until now, and thus all after it. What was read
   * from their slots before this was asked is then whole.
   *
   * @throws IllegalStateException if the ring is closed: nothing of it can be read any more
   */
  boolean stands(long position);
}
