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

  /** The same of the smallest that there are, in which nothing but losses is told. */
  RingSetWriter makeForLosses(CardShape shape);

  /** They are about to be closed: whoever looks at them asks no more. */
  void ended();
}
