// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The line of what a program said that tells most about why it failed. */
final class FirstError {
  /** What tells more comes first; the group is what is worth repeating. */
  private static final List<Pattern> TELLING =
      List.of(
          // The project's own programs say in one line what is wrong.
          Pattern.compile("^(?:flowstone|broker): (.+)$", Pattern.MULTILINE),
          Pattern.compile("^# (There is insufficient memory.+)$", Pattern.MULTILINE),
          Pattern.compile("(java\\.lang\\.OutOfMemoryError.*)$", Pattern.MULTILINE),
          // The root of a chain of causes is its last one.
          Pattern.compile("(?s).*^Caused by: (?-s)(.+)$", Pattern.MULTILINE),
          Pattern.compile("^Exception in thread \"[^\"]*\" (.+)$", Pattern.MULTILINE),
          Pattern.compile("^(.*\\bERROR\\b.+)$", Pattern.MULTILINE));

  /** What SIGBUS becomes where Java code, not native code, touches the memory. */
  private static final String LOST_MEMORY = "a fault occurred in an unsafe memory access operation";

  private static final Pattern WORDS =
      Pattern.compile("^((?!#|(?i:warning)).*\\S.*)$", Pattern.MULTILINE);

  private FirstError() {}

  /** Something that is an error without doubt. */
  static Optional<String> in(String said) {
    return TELLING.stream()
        .flatMap(pattern -> find(pattern, said))
        .map(line -> line.replace(LOST_MEMORY, Signal.BUS.meaning()))
        .findFirst();
  }

  /** That, or the first words that are no warning: what a program that failed had to say. */
  static Optional<String> orFirstWordsIn(String said) {
    return in(said).or(() -> find(WORDS, said).findFirst());
  }

  private static Stream<String> find(Pattern pattern, String said) {
    Matcher found = pattern.matcher(said);
    return found.find() ? Stream.of(found.group(1).strip()) : Stream.empty();
  }
}
