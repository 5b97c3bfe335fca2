// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.ArrayList;
import java.util.List;

/** Everything that follows from the YAML. */
final class Generator {
  private Generator() {}

  static List<GeneratedFile> generate(Abi abi) {
    List<GeneratedFile> files = new ArrayList<>();
    long digest = SharedDigest.of(abi);
    files.add(CHeader.generate(abi.in(Language.C), digest));
    files.add(SharedDigest.java(digest));
    files.add(SystemVerilogPackage.generate(abi));
    files.add(NumpyLayouts.generate(abi.in(Language.PYTHON)));
    for (Page page : abi.pages()) {
      files.add(ReferencePage.generate(abi, page));
      for (Layout layout : page.layouts()) {
        if (layout.languages().contains(Language.JAVA)) {
          files.add(JavaLayout.generate(abi, page, layout));
        }
        for (Enumeration enumeration : layout.in(Language.JAVA).enums()) {
          files.add(JavaEnum.generate(page, enumeration));
        }
      }
    }
    return files;
  }
}
