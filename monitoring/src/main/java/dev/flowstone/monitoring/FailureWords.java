// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring;

import java.util.List;
import java.util.regex.Pattern;

/** What a stack trace says to people in a line: its first one, and what was behind it. */
public final class FailureWords {
  private static final int LONGEST = 240;
  private static final String CAUSE = "Caused by: ";

  /** Of a class the name alone. */
  private static final Pattern PACKAGE = Pattern.compile("^(?:[a-z][\\w$]*\\.)+(?=[A-Z])");

  private FailureWords() {}

  public static String of(String stackTrace) {
    List<String> lines = stackTrace.lines().toList();
    if (lines.isEmpty()) {
      return "Flink does not say why";
    }
    String first = shortened(lines.getFirst());
    String root =
        lines.stream()
            .filter(line -> line.startsWith(CAUSE))
            .reduce((_, later) -> later)
            .map(line -> shortened(line.substring(CAUSE.length())))
            .orElse(first);
    return first.contains(root) || root.contains(first)
        ? cut(longer(first, root))
        : cut(first) + "; because: " + cut(root);
  }

  private static String cut(String words) {
    return words.length() <= LONGEST ? words : words.substring(0, LONGEST) + "…";
  }

  private static String longer(String one, String other) {
    return one.length() >= other.length() ? one : other;
  }

  private static String shortened(String line) {
    return PACKAGE.matcher(line.strip()).replaceFirst("");
  }
}
