// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;

/** Makes the ring files of a card. */
public interface CardFiles {
  /** Where they are. */
  RingDirectory directory();

  /** Makes them in place of those that are there. */
  RingSetWriter make(CardShape shape);

  /**
   * Takes the memory for what is made next, while those that are there are filled, if that is worth
   * it: it takes seconds for a few GiB. In the thread of whoever asks for others.
   */
  default void prepare(CardShape shape) {}

  /** Makes the smallest that there are, in which nothing but losses is told. */
  RingSetWriter makeForLosses(CardShape shape);

  /** They are about to be closed: whoever looks at them asks no more. */
  void ended();
}
