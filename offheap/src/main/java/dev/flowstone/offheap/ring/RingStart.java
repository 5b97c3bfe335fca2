// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

/** Where a reader begins in a ring. */
public sealed interface RingStart {

  /** With all that the ring still holds; what is gone already counts as lost. */
  record Oldest() implements RingStart {}

  /**
   * With what the ring holds, as one who was never here: what came before is told by {@link
   * RingReader#packetsBeforeStart}, and is no loss. A tap that is at work keeps a quarter of the
   * ring to write on: were all of it held from the oldest slot on, it would have to drop packets
   * until this reader first releases some. All of it is read where no tap writes any more, or where
   * the space is held for readers of this name already.
   */
  record Join() implements RingStart {}

  /** With what comes now; what came before is neither read nor counted as lost. */
  record Latest() implements RingStart {}

  /** Where an earlier reader stopped. What is gone since then counts as lost. */
  record Resume(RingProgress progress) implements RingStart {}

  RingStart OLDEST = new Oldest();
  RingStart JOIN = new Join();
  RingStart LATEST = new Latest();
}
