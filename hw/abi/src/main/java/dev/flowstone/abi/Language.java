// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What a layout can be generated for. The reference page is for people and always there. */
enum Language {
  C("C"),
  JAVA("Java"),
  PYTHON("Python"),
  SYSTEMVERILOG("SystemVerilog");

  private final String title;

  Language(String title) {
    this.title = title;
  }

  static Optional<Language> named(String name) {
    return Arrays.stream(values()).filter(value -> value.yamlName().equals(name)).findFirst();
  }

  String yamlName() {
    return name().toLowerCase(Locale.ROOT);
  }

  String title() {
    return title;
  }
}
