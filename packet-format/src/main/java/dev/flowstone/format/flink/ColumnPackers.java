// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format.flink;

import dev.flowstone.format.ColumnPacker;
import dev.flowstone.offheap.Reason;
import dev.flowstone.offheap.RecordPacker;
import java.lang.foreign.MemorySegment;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The fastest packer that this machine has. */
final class ColumnPackers {
  private static final Logger LOG = LoggerFactory.getLogger(ColumnPackers.class);

  private ColumnPackers() {}

  /** On real traffic two thirds of the time of the one in Java. */
  record InCpp(RecordPacker packer) implements ColumnPacker {
    InCpp(int maxCount) {
      this(new RecordPacker(maxCount));
    }

    @Override
    public MemorySegment pack(
        MemorySegment records, long offsetBytes, int[] selection, int count, int timeBaseLow) {
      return packer.pack(records, offsetBytes, selection, count, timeBaseLow);
    }
  }

  static ColumnPacker fastest(int maxCount) {
    return fastest(maxCount, InCpp::new);
  }

  /** A job may run where no library was built for: on another architecture than its jar's. */
  static ColumnPacker fastest(int maxCount, IntFunction<ColumnPacker> inCpp) {
    try {
      return inCpp.apply(maxCount);
    } catch (LinkageError e) {
      LOG.warn("packets are packed in Java, which takes half as long again: {}", Reason.ofRoot(e));
      return ColumnPacker.inJava(maxCount);
    }
  }
}
