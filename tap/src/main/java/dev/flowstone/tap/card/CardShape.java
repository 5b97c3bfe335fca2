// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.model.abi.CardRingRegistersLayout;
import dev.flowstone.model.abi.RingFileHeaderLayout;

/**
 * What the rings of a card are like.
 *
 * @param slotsLog2 each has 2^slotsLog2 slots in the card's memory
 * @param maxParallelism the Flink job's; a power of two, since the card has no division
 */
public record CardShape(int ringCount, int slotsLog2, int maxParallelism) {
  public CardShape {
    requireRange("rings of a card", ringCount, 1, CardRingRegistersLayout.MOST_RINGS);
    requireRange(
        "slots log2",
        slotsLog2,
        CardRingRegistersLayout.LEAST_SLOTS_LOG2,
        CardRingRegistersLayout.MOST_SLOTS_LOG2);
    requireRange("max parallelism", maxParallelism, 1, RingFileHeaderLayout.MAX_KEY_GROUPS);
    if (Integer.bitCount(maxParallelism) != 1) {
      throw new IllegalArgumentException(
          "a card wants a power of two as max parallelism: " + maxParallelism);
    }
    if (ringCount > maxParallelism) {
      throw new IllegalArgumentException(
          "%d rings need as many key groups, and max parallelism is %d"
              .formatted(ringCount, maxParallelism));
    }
  }

  private static void requireRange(String what, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(what + " must be " + least + " to " + most + ": " + value);
    }
  }

  /** The same memory for other rings, or for other key groups in them. */
  public CardShape with(int newRingCount, int newMaxParallelism) {
    return new CardShape(newRingCount, slotsLog2, newMaxParallelism);
  }

  /** For people. */
  String rings() {
    return "%d %s for %d key groups"
        .formatted(ringCount, ringCount == 1 ? "ring" : "rings", maxParallelism);
  }
}
