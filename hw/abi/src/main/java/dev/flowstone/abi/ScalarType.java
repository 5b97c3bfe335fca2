// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** An unsigned number of 1, 2, 4 or 8 bytes. */
enum ScalarType {
  U8(1),
  U16(2),
  U32(4),
  U64(8);

  private final int bytes;

  ScalarType(int bytes) {
    this.bytes = bytes;
  }

  static Optional<ScalarType> named(String name) {
    return Arrays.stream(values()).filter(type -> type.yamlName().equals(name)).findFirst();
  }

  String yamlName() {
    return name().toLowerCase(Locale.ROOT);
  }

  int bytes() {
    return bytes;
  }

  int bits() {
    return 8 * bytes;
  }

  /** Whether the bits of {@code value}, read as an unsigned number, fit. */
  boolean holds(long value) {
    return this == U64 || value >>> bits() == 0;
  }
}
