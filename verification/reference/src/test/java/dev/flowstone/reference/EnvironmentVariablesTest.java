// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnvironmentVariablesTest {
  @TempDir Path root;

  /** Of a project that is nothing but a package of Python. */
  private Project project(String source) throws IOException {
    Files.createDirectories(root.resolve("build-support"));
    Files.writeString(root.resolve("pom.xml"), "");
    Files.writeString(root.resolve("flowstone"), "");
    Path folder = Files.createDirectories(root.resolve("notebooks/flowstone"));
    Files.writeString(folder.resolve("source.py"), source);
    return new Project(root);
  }

  @Test
  void shouldFindThoseThatPythonLooksAt() throws Exception {
    Project project =
        project(
            """
            one = os.environ.get("ONE") or environ['TWO_WORDS']
            three = os.getenv("THREE", "") or Path.home()
            """);
    assertThat(EnvironmentVariables.in(project))
        .containsExactly("HOME", "ONE", "THREE", "TWO_WORDS");
  }

  @Test
  void shouldRefuseWhatItCannotFind() throws Exception {
    Project project = project("one = os.environ.get(\"ONE\") or os.environ.get(name)");
    assertThatThrownBy(() -> EnvironmentVariables.in(project))
        .hasMessageEndingWith("source.py: which variables does it look at?");
  }

  @Test
  void shouldHaveThePageSayThatPythonLooksAtThem() throws Exception {
    Project project = project("one = os.environ.get(\"HOME\") or os.environ[\"MAVEN_OPTS\"]");
    assertThatThrownBy(() -> new EnvironmentPage(project).page())
        .hasMessageEndingWith("does not name it among their readers: [MAVEN_OPTS]");
  }
}
