// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.List;

/**
 * The word by which a program in Java and a library in C tell each other that they were made from
 * the same layouts. It guards those that have no version because they never leave a process.
 */
final class SharedDigest {
  static final String DOC =
      "Digest of all layouts that C and Java share: a program and a library with different ones must"
          + " not work together.";
  private static final String CLASS = "AbiDigest";

  private SharedDigest() {}

  static long of(Abi abi) {
    List<Layout> shared =
        abi.layouts().stream()
            .filter(layout -> layout.languages().containsAll(List.of(Language.C, Language.JAVA)))
            .toList();
    return LayoutDigest.ofAll(abi, shared);
  }

  static GeneratedFile java(long digest) {
    return JavaSource.file(
        CLASS,
        """
        /**
         * %s
         *
        %s */
        public final class %s {
          /** The digest. */
          public static final long VALUE = 0x%016xL;

          private %s() {}
        }
        """
            .formatted(DOC, JavaSource.origin("hw/abi/*.yaml"), CLASS, digest, CLASS));
  }
}
