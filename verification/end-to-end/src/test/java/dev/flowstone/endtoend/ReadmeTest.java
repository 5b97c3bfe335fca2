// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whoever reads a class's name in a log finds on this module's page what it is. */
class ReadmeTest {
  private static final Path MODULE = ProjectRoot.find().resolve("verification/end-to-end");

  @Test
  void shouldHaveAWordForEachClass() throws Exception {
    String page = Files.readString(MODULE.resolve("README.md"));
    try (Stream<Path> sources =
        Files.list(MODULE.resolve("src/test/java/dev/flowstone/endtoend"))) {
      assertThat(sources.map(ReadmeTest::named))
          .hasSizeGreaterThan(1)
          .allSatisfy(name -> assertThat(page).contains(name));
    }
  }

  private static String named(Path source) {
    return "`" + source.getFileName().toString().replace(".java", "") + "`";
  }
}
