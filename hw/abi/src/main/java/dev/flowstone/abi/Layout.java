// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One binary layout: what a block of {@code sizeBytes} bytes means.
 *
 * @param registers whether it is a window of registers, which are read and written one by one
 * @param versions whose versions it belongs to; none when it never leaves a process
 */
record Layout(
    String name,
    String title,
    long sizeBytes,
    String summary,
    boolean registers,
    List<VersionName> versions,
    Set<Language> languages,
    List<Constant> constants,
    List<Field> fields,
    List<Enumeration> enums,
    Optional<Example> example) {
  Layout {
    versions = List.copyOf(versions);
    languages = Set.copyOf(languages);
    constants = List.copyOf(constants);
    fields = List.copyOf(fields);
    enums = List.copyOf(enums);
  }

  /** Without what the language has no use for. */
  Layout in(Language language) {
    return new Layout(
        name,
        title,
        sizeBytes,
        summary,
        registers,
        versions,
        languages,
        constants.stream().filter(constant -> constant.languages().contains(language)).toList(),
        fields.stream().filter(field -> field.languages().contains(language)).toList(),
        enums.stream().filter(values -> values.languages().contains(language)).toList(),
        example);
  }
}
