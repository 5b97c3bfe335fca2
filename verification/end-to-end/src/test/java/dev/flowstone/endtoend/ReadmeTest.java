// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whoever reads a class's name in a log finds on this module's page what it is. */
class ReadmeTest {
  private static final Path MODULE = ProjectRoot.find().resolve("verification/end-to-end");
  private static final Path SOURCES = MODULE.resolve("src/test/java/dev/flowstone/endtoend");
  private static final Pattern CLASS = Pattern.compile("`(\\w+)`");

  @Test
  void shouldHaveAWordForEachClass() throws Exception {
    String page = Files.readString(MODULE.resolve("README.md"));
    try (Stream<Path> sources = Files.list(SOURCES)) {
      assertThat(sources.map(ReadmeTest::named))
          .hasSizeGreaterThan(1)
          .allSatisfy(name -> assertThat(page).contains(name));
    }
  }

  @Test
  void shouldNameNoOther() throws Exception {
    assertThat(Files.readAllLines(MODULE.resolve("README.md")).stream().flatMap(ReadmeTest::told))
        .hasSizeGreaterThan(1)
        .allSatisfy(name -> assertThat(SOURCES.resolve(name + ".java")).exists());
  }

  /** In the first column of a table of classes. */
  private static Stream<String> told(String line) {
    String first = line.startsWith("| `") ? line.split("\\|", -1)[1] : "";
    return CLASS.matcher(first).results().map(name -> name.group(1));
  }

  private static String named(Path source) {
    return "`" + source.getFileName().toString().replace(".java", "") + "`";
  }
}
