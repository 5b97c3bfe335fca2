// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.blocks;

import dev.flowstone.model.StreamNumber;

/** A borrowed block was used after the ring's memory had gone on to hold other packets. */
public final class StaleBlockException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  StaleBlockException(PacketBlock block) {
    super(
        "the block of stream "
            + StreamNumber.text(block.stream())
            + " (ring "
            + block.ring()
            + ") at position "
            + block.firstPosition()
            + " was kept until the tap wrote over its packets: an operator that keeps blocks in a"
            + " field, in state or in a queue must keep PacketBlock.owned()");
  }
}
