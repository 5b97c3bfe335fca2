// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** Running text of the YAML, as lines of a comment. */
final class Prose {
  private static final Pattern SPACES = Pattern.compile("\\s+");

  private Prose() {}

  /** Paragraphs stand between line breaks in folded YAML text. */
  static List<String> paragraphs(String text) {
    return Arrays.stream(text.strip().split("\n+")).map(String::strip).toList();
  }

  /** Breaks at spaces so that no line is longer than {@code width}, unless one word is. */
  static List<String> wrap(String text, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : SPACES.splitAsStream(text.strip()).toList()) {
      if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    lines.add(line.toString());
    return lines;
  }

  /** Text for Javadoc, where {@code <}, {@code >}, {@code &} and {@code @} mean something. */
  static String javadoc(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("@", "&#64;")
        .replace("*/", "*&#47;");
  }
}
