// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A class of the project with one mistake in it, which a test has to notice. */
public final class ChangedClass {
  private ChangedClass() {}

  /**
   * Compiles the source with one place changed, and returns the folder to put first on a class
   * path.
   *
   * @param place text that the source has once, whatever white space is in it
   */
  public static Path compile(Path folder, String source, String place, String replacement)
      throws IOException {
    Path original = ProjectRoot.find().resolve(source);
    String text = Files.readString(original);
    Matcher found = ignoringWhiteSpace(place).matcher(text);
    assertThat(found.results())
        .as(
            "%s must contain \"%s\" once, where this test puts a mistake: update the test's text",
            source, place)
        .hasSize(1);
    Path changed = Files.createDirectories(folder.resolve("changed"));
    Path file = changed.resolve(original.getFileName().toString());
    Files.writeString(file, found.replaceFirst(Matcher.quoteReplacement(replacement)));
    CompiledSource.in(changed, file);
    return changed;
  }

  private static Pattern ignoringWhiteSpace(String place) {
    return Pattern.compile(
        Pattern.compile("\\s*\\b\\s*|\\s+")
            .splitAsStream(place)
            .map(Pattern::quote)
            .collect(Collectors.joining("\\s*")));
  }
}
