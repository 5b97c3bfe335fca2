// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ReferenceTest {
  private static final Project PROJECT = Project.find();
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#]*)(#[^)]*)?\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

  static Iterable<Page> pages() {
    return Reference.pages(PROJECT);
  }

  @ParameterizedTest
  @MethodSource("pages")
  void shouldSayWhatTheCodeSays(Page page) {
    assertThat(Difference.of(page, PROJECT).orElse("")).isEmpty();
  }

  @Test
  void shouldSayWhereAPageDiffers(@TempDir Path root) throws Exception {
    Page page = new Page("commands.md", "# Commands\n\n| `--rings DIR` |\n");
    Project project = new Project(root);
    assertThat(Difference.of(page, project).orElseThrow())
        .isEqualTo("docs/reference/commands.md is missing; write it with: " + Page.COMMAND);
    Files.createDirectories(root.resolve(Page.FOLDER));
    Files.writeString(root.resolve(page.path()), "# Commands\n\n| `--folder DIR` |\n");

    assertThat(Difference.of(page, project).orElseThrow())
        .contains("commands.md:3 differs", "says  | `--folder DIR` |", "code | `--rings DIR` |")
        .endsWith(Page.COMMAND);
  }

  @Test
  void shouldNoticeACommandThatNoPageHas(@TempDir Path root) throws Exception {
    Files.createDirectories(root.resolve("build-support"));
    Files.copy(
        PROJECT.root().resolve("build-support/deployment.sh"),
        root.resolve("build-support/deployment.sh"));
    Files.writeString(
        root.resolve("flowstone"),
        PROJECT.read("flowstone").replace("  flink) ", "  spare) run_spare \"$@\" ;;\n  flink) "));

    assertThatThrownBy(() -> new CommandsPage(new Project(root)).page())
        .hasMessageContaining("a command that no page has: spare");
  }

  /** A page that nobody writes any more would never be found wrong. */
  @Test
  void shouldHaveNoOtherPages() throws Exception {
    Set<String> known = new TreeSet<>(Set.of("metrics.md"));
    Reference.pages(PROJECT).forEach(page -> known.add(page.name()));
    try (var files = Files.list(PROJECT.root().resolve(Page.FOLDER))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(known);
    }
  }

  @Test
  void shouldLeadWhereItsLinksSay() {
    Map<Path, Set<String>> anchors = new HashMap<>();
    for (Page page : Reference.pages(PROJECT)) {
      LINK.matcher(page.text())
          .results()
          .forEach(
              link -> {
                Path file =
                    link.group(1).isEmpty()
                        ? PROJECT.root().resolve(page.path())
                        : PROJECT.root().resolve(Page.FOLDER).resolve(link.group(1)).normalize();
                assertThat(anchors.computeIfAbsent(file, ReferenceTest::anchors))
                    .as("%s: %s", page.name(), link.group())
                    .contains(link.group(2) == null ? "" : link.group(2));
              });
    }
    assertThat(anchors).as("files that links lead to").hasSizeGreaterThan(5);
  }

  /** Returns the anchors of a file's headings, and the empty one of the file itself. */
  private static Set<String> anchors(Path file) {
    assertThat(file).exists();
    Set<String> anchors = new HashSet<>(Set.of(""));
    if (Files.isRegularFile(file)) {
      HEADING
          .matcher(Project.read(file))
          .results()
          .forEach(heading -> anchors.add("#" + Words.anchor(heading.group(1))));
    }
    return anchors;
  }
}
