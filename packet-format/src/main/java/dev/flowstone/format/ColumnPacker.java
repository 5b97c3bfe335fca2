// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import java.lang.foreign.MemorySegment;

/**
 * Writes the columnar body of a batch. Every implementation writes the same bytes; {@link #inJava}
 * runs anywhere.
 */
@FunctionalInterface
public interface ColumnPacker {
  /** A packer in plain Java for batches of up to so many packets. */
  static ColumnPacker inJava(int maxCount) {
    return new ColumnsEncoder(maxCount);
  }

  /**
   * Packs count records, those that the selection names or, where it is null, the first ones.
   *
   * @param timeBaseLow low half of the batch's time base
   * @return the body, valid until the next call; empty where a record is no packet
   */
  MemorySegment pack(
      MemorySegment records, long offsetBytes, int[] selection, int count, int timeBaseLow);
}
