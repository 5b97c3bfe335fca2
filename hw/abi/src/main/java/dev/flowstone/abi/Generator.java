// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.ArrayList;
import java.util.List;

/** Everything that follows from the YAML. */
final class Generator {
  private Generator() {}

  static List<GeneratedFile> generate(Abi abi) {
    List<GeneratedFile> files = new ArrayList<>();
    files.add(CHeader.generate(abi));
    files.add(NumpyLayouts.generate(abi));
    for (Page page : abi.pages()) {
      files.add(ReferencePage.generate(abi, page));
      for (Layout layout : page.layouts()) {
        files.add(JavaLayout.generate(abi, page, layout));
        layout.enums().forEach(enumeration -> files.add(JavaEnum.generate(page, enumeration)));
      }
    }
    return files;
  }
}
