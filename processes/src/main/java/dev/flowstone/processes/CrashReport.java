// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Why a JVM crashed: a signal that hits its code ends it with SIGABRT, and only its report names
 * the signal and the place.
 *
 * @param signal such as SIGBUS
 * @param place the frame, such as {@code C [libflowstone_parser.so+0x1234]}
 */
record CrashReport(String signal, String place) {
  /** The head of a report says all that is asked for here. */
  private static final int HEAD_LINES = 40;

  private static final Pattern HEAD =
      Pattern.compile("^#\\s+(SIG\\w+) \\(0x\\w+\\).*?^# Problematic frame:\\s+# (.+?)$", flags());

  private static int flags() {
    return Pattern.MULTILINE | Pattern.DOTALL;
  }

  static Optional<CrashReport> read(Path file) {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try (Stream<String> lines = Files.lines(file)) {
      Matcher head = HEAD.matcher(lines.limit(HEAD_LINES).collect(Collectors.joining("\n")));
      return head.find()
          ? Optional.of(new CrashReport(head.group(1), head.group(2).replaceAll("\\s+", " ")))
          : Optional.empty();
    } catch (IOException unreadable) {
      return Optional.empty();
    }
  }

  @Override
  public String toString() {
    String meaning = Signal.named(signal).map(known -> " (" + known.meaning() + ")").orElse("");
    return signal + meaning + " in " + place;
  }
}
