// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.testbed.programs.ProjectRoot;
import java.nio.file.Files;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TutorialTest {
  @Test
  void shouldReadWhatAPageTellsToDo() {
    String page =
        """
        # Words

        ```sh terminal=1 until="it is up"
        begin
        ```

        ```
        no command
        ```

        ```sh
        one
        two
        ```

        <!-- Ctrl-C terminal=1 until="the rest" -->

        <!-- Ctrl-C terminal=1 -->

        ```sh shows="three words here"
        three
        ```

        ```sh until=row
        four
        ```

        <!-- browser url="http://localhost:1" shows="a flood" -->

        <!-- sh shows=5
        five
        -->
        """;
    assertThat(Tutorial.read(page))
        .containsExactly(
            new Tutorial.Begin("begin\n", "1", "it is up"),
            new Tutorial.Run("one\ntwo\n", Optional.empty()),
            new Tutorial.Interrupt("1", Optional.of("the rest")),
            new Tutorial.Interrupt("1", Optional.empty()),
            new Tutorial.Run("three\n", Optional.of("three words here")),
            new Tutorial.Look("four\n", "row"),
            new Tutorial.Browse("http://localhost:1", "a flood"),
            new Tutorial.Run("five\n", Optional.of("5")));
  }

  /**
   * Words that nobody knows would check nothing, and a terminal is ready when it shows something.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "```sh show=\"packets\"",
        "```sh shows=\"packets\" until=\"packets\"",
        "```sh terminal=1",
        "```sh terminal=1 shows=\"packets\"",
        "```sh terminal=1 until=up shows=\"packets\"",
        "```sh shows=one shows=two",
        "```sh shows=\"\"",
        "```sh shows=",
        "```sh shows=\"not closed",
        "```sh shows packets",
        "```shell",
        "<!-- Ctrl-C until=\"the rest\" -->",
        "<!-- Ctrl-C terminal=1 shows=\"the rest\" -->",
        "<!-- Ctrl-C in the first one -->",
        "<!-- Ctrl-C -->",
        "<!-- browser -->",
        "<!-- browser url=\"http://localhost:1\" -->",
        "<!-- browser shows=\"a flood\" -->"
      })
  void shouldRefuseWordsThatCheckNothing(String step) {
    String page = step.startsWith("```") ? step + "\ncommand\n```\n" : step + "\n";
    assertThatThrownBy(() -> Tutorial.read(page))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(" of a step: ");
  }

  @Test
  void shouldFindAllCommandsOfTheTutorial() throws Exception {
    String page = Files.readString(ProjectRoot.find().resolve("docs/tutorial.md"));
    assertThat(Tutorial.read(page)).hasSize(page.split("```sh|<!-- ", -1).length - 1);
  }
}
