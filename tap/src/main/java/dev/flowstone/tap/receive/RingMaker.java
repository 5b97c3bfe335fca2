// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;

/** Makes the rings of a receiver, once it is known what they are to be like. */
public interface RingMaker {
  /** Where they are. */
  RingDirectory directory();

  /**
   * Makes them in place of those that are there.
   *
   * @param clock a {@link dev.flowstone.model.abi.RingClock}
   */
  RingSetWriter make(int ringCount, int maxParallelism, int clock);

  /** The rings that were made last are about to be closed. */
  default void forget() {}
}
