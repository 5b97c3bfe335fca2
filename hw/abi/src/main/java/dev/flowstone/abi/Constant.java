// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.Set;

/** A number that belongs to a layout. {@code hexadecimal} says how people prefer to read it. */
record Constant(
    String name,
    ScalarType type,
    long value,
    boolean hexadecimal,
    String doc,
    Set<Language> languages) {
  Constant {
    languages = Set.copyOf(languages);
  }

  String literal() {
    return hexadecimal ? "0x" + Long.toHexString(value) : Long.toUnsignedString(value);
  }
}
