// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;

/** One field of a layout; {@code count} is there when the field is an array. */
record Field(
    String name,
    long offset,
    FieldType type,
    OptionalInt count,
    String doc,
    Set<Language> languages,
    List<BitRange> bits) {
  private static final Pattern FILLER = Pattern.compile("reserved_\\d+");

  Field {
    languages = Set.copyOf(languages);
    bits = List.copyOf(bits);
  }

  /** Whether a field of that name, {@code reserved_24}, only fills a place. */
  static boolean isFiller(String name) {
    return FILLER.matcher(name).matches();
  }

  int elements() {
    return count.orElse(1);
  }
}
