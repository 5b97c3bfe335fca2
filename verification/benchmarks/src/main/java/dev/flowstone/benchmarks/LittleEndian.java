// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Words as all of Flowstone's layouts have them. */
final class LittleEndian {
  static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

  static final ValueLayout.OfLong LONG_UNALIGNED =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private LittleEndian() {}
}
