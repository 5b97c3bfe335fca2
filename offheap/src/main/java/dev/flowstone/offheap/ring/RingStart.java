// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

/** Where a reader begins in a ring. */
public sealed interface RingStart {

  /** With all that the ring still holds. */
  record Oldest() implements RingStart {}

  /** With what comes now; what came before is neither read nor counted as lost. */
  record Latest() implements RingStart {}

  /** Where an earlier reader stopped. What is gone since then counts as lost. */
  record Resume(RingProgress progress) implements RingStart {}

  RingStart OLDEST = new Oldest();
  RingStart LATEST = new Latest();
}
