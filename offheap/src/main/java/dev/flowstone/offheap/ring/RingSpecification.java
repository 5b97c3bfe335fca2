// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import java.util.Optional;

/**
 * The rings a tap wants.
 *
 * @param ringCount how many, 1 to 256
 * @param slotsLog2 each has 2^slotsLog2 slots of 64 bytes
 * @param clock where times come from, a {@link dev.flowstone.model.abi.RingClock}
 * @param maxParallelism equals the Flink job's maxParallelism
 * @param tapName what fills the rings; at most 64 bytes of UTF-8 are kept
 * @param group who besides the owner may read and write the files; empty: nobody
 */
public record RingSpecification(
    int ringCount,
    int slotsLog2,
    int clock,
    int maxParallelism,
    String tapName,
    Optional<String> group) {
  public RingSpecification {
    requireRange("ring count", ringCount, 1, RingFileHeaderLayout.MAX_RINGS);
    requireRange(
        "slots log2",
        slotsLog2,
        RingFileHeaderLayout.LEAST_SLOTS_LOG2,
        RingFileHeaderLayout.MOST_SLOTS_LOG2);
    requireRange("max parallelism", maxParallelism, 1, RingFileHeaderLayout.MAX_KEY_GROUPS);
    if (ringCount > maxParallelism) {
      throw new IllegalArgumentException(
          ringCount + " rings need as many key groups, but max parallelism is " + maxParallelism);
    }
  }

  byte[] keyGroupTable() {
    return KeyGroups.ringTable(maxParallelism, ringCount);
  }

  /** The smallest slotsLog2 whose slots hold at least that many bytes. */
  public static int slotsLog2ForBytes(long bytes) {
    long slots =
        Math.max(
            1L << RingFileHeaderLayout.LEAST_SLOTS_LOG2, Math.ceilDiv(bytes, RingFile.SLOT_BYTES));
    return Long.SIZE - Long.numberOfLeadingZeros(slots - 1);
  }

  private static void requireRange(String what, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(what + " must be " + least + " to " + most + ": " + value);
    }
  }
}
