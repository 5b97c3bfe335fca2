// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What docs/sizing.md shows is what the command says, and so are the lines of the README. */
class SizingPageTest {
  private static final Pattern SHOWN =
      Pattern.compile("```\n\\$ \\./flowstone plan ([^\n]*)\n(.*?)\n```", Pattern.DOTALL);

  private static final String LEFT_OUT = "   ...";

  private static String page() throws IOException {
    return Files.readString(Pages.ROOT.resolve("docs/sizing.md"));
  }

  static Stream<MatchResult> shown() throws IOException {
    return SHOWN.matcher(page()).results();
  }

  @Test
  void shouldWorkOutTwoSites() throws IOException {
    assertThat(shown().count()).isEqualTo(2);
    assertThat(page().split("\\./flowstone plan --", -1)).as("each is shown, and run").hasSize(3);
  }

  @Test
  void shouldShowInTheReadmeWhatTheCommandSays() throws IOException {
    List<MatchResult> shown =
        SHOWN.matcher(Files.readString(Pages.ROOT.resolve("README.md"))).results().toList();
    assertThat(shown).hasSize(1);
    assertThat(RunPlan.of(shown.getFirst().group(1)).output().lines().toList())
        .containsSubsequence(
            shown.getFirst().group(2).lines().filter(line -> !line.equals(LEFT_OUT)).toList());
  }

  @ParameterizedTest
  @MethodSource("shown")
  void shouldShowWhatTheCommandSays(MatchResult shown) {
    assertThat(RunPlan.of(shown.group(1)).output().strip()).isEqualTo(shown.group(2));
  }
}
