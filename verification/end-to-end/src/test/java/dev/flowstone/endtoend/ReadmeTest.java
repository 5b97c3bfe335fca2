// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.testbed.programs.ProjectRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The page of a module says what each of its classes is. */
class ReadmeTest {
  private static final Pattern CLASS = Pattern.compile("`(\\w+)`");

  enum Module {
    END_TO_END("verification/end-to-end", "src/test/java"),
    TESTBED("verification/testbed", "src");

    private final Path folder;
    private final Path sources;

    Module(String folder, String sources) {
      this.folder = ProjectRoot.find().resolve(folder);
      this.sources = this.folder.resolve(sources);
    }

    List<String> page() throws IOException {
      return Files.readAllLines(folder.resolve("README.md"));
    }

    List<String> classes() throws IOException {
      try (Stream<Path> files = Files.walk(sources)) {
        return files
            .map(file -> file.getFileName().toString())
            .filter(name -> name.endsWith(".java"))
            .map(name -> name.replace(".java", ""))
            .toList();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldNameEachClass(Module module) throws IOException {
    String page = String.join("\n", module.page());
    assertThat(module.classes())
        .hasSizeGreaterThan(1)
        .allSatisfy(name -> assertThat(page).contains("`" + name + "`"));
  }

  @ParameterizedTest
  @EnumSource
  void shouldNameNoOther(Module module) throws IOException {
    List<String> named = module.page().stream().flatMap(ReadmeTest::namesIn).toList();
    assertThat(named).hasSizeGreaterThan(1);
    assertThat(module.classes()).containsAll(named);
  }

  /** In the first column of a table of classes. */
  private static Stream<String> namesIn(String line) {
    String first = line.startsWith("| `") ? line.split("\\|", -1)[1] : "";
    return CLASS.matcher(first).results().map(name -> name.group(1));
  }
}
