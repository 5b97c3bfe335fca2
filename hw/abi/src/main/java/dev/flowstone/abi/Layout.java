// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.List;
import java.util.Optional;

/** One binary layout: what a block of {@code sizeBytes} bytes means. */
record Layout(
    String name,
    String title,
    long sizeBytes,
    String summary,
    List<Constant> constants,
    List<Field> fields,
    List<Enumeration> enums,
    Optional<Example> example) {
  Layout {
    constants = List.copyOf(constants);
    fields = List.copyOf(fields);
    enums = List.copyOf(enums);
  }
}
