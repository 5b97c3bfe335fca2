// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.List;
import java.util.OptionalInt;

/** One field of a layout; {@code count} is there when the field is an array. */
record Field(
    String name, long offset, FieldType type, OptionalInt count, String doc, List<BitRange> bits) {
  Field {
    bits = List.copyOf(bits);
  }

  int elements() {
    return count.orElse(1);
  }
}
