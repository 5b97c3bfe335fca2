// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.List;

/** One YAML file: {@code stem} is its name without the extension. */
record Page(String stem, List<Layout> layouts) {
  Page {
    layouts = List.copyOf(layouts);
  }

  Page in(Language language) {
    return new Page(
        stem,
        layouts.stream()
            .filter(layout -> layout.languages().contains(language))
            .map(layout -> layout.in(language))
            .toList());
  }

  String source() {
    return "hw/abi/" + stem + ".yaml";
  }
}
