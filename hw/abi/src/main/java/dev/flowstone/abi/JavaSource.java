// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;

/**
 * Java text as google-java-format leaves it, so that the project's format check agrees with the
 * generator.
 */
final class JavaSource {
  static final String DIRECTORY = "packet-model/src/main/java/dev/flowstone/model/abi/";

  private JavaSource() {}

  static GeneratedFile file(String className, String body) {
    String source =
        """
        // SPDX-License-Identifier: Apache-2.0
        package dev.flowstone.model.abi;

        """
            + body;
    try {
      return new GeneratedFile(
          DIRECTORY + className + ".java", new Formatter().formatSource(source));
    } catch (FormatterException e) {
      throw new IllegalStateException("generated " + className + " is not Java:\n" + source, e);
    }
  }

  /** The last paragraph of every generated class comment. */
  static String origin(String yaml) {
    return " * <p>%s from {@code %s}; change that file and run {@code %s}.\n"
        .formatted(GeneratedFile.MARK, yaml, GeneratedFile.COMMAND);
  }
}
