// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Little-endian scalars at any byte, in byte arrays (VarHandles) and in memory segments (layouts).
 */
final class LittleEndian {
  static final VarHandle SHORT = arrayView(short[].class);
  static final VarHandle INT = arrayView(int[].class);
  static final VarHandle LONG = arrayView(long[].class);

  static final ValueLayout.OfShort SHORT_LAYOUT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfInt INT_LAYOUT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfLong LONG_LAYOUT =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /**
   * Addresses are bytes in network order: as two big-endian words they compare and split like
   * numbers.
   */
  static final ValueLayout.OfLong ADDRESS_LAYOUT =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private LittleEndian() {}

  private static VarHandle arrayView(Class<?> viewArray) {
    return MethodHandles.byteArrayViewVarHandle(viewArray, ByteOrder.LITTLE_ENDIAN);
  }
}
