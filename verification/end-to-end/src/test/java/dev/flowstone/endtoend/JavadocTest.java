// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.testbed.programs.ProjectRoot;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the writer of a job reads in the IDE: its pages are made with the next release, too. */
class JavadocTest {
  /** What a job has on its class path. */
  private static final List<String> MODULES =
      List.of("packet-model", "offheap", "blocks", "connector-fpga-source", "packet-format");

  @TempDir private Path pages;

  @Test
  void shouldMakePagesOfWhatJobsUse() throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-quiet",
                "-Xdoclint:all,-missing",
                "-Werror",
                "-d",
                pages.toString(),
                "-classpath",
                System.getProperty("java.class.path")));
    for (String module : MODULES) {
      arguments.addAll(sources(module));
    }
    StringWriter said = new StringWriter();
    int status =
        ToolProvider.findFirst("javadoc")
            .orElseThrow()
            .run(new PrintWriter(said), new PrintWriter(said), arguments.toArray(String[]::new));
    assertThat(status).as(said.toString()).isZero();
  }

  private static List<String> sources(String module) throws IOException {
    Path folder = ProjectRoot.find().resolve(module).resolve("src/main/java");
    try (Stream<Path> files = Files.walk(folder)) {
      return files.map(Path::toString).filter(file -> file.endsWith(".java")).toList();
    }
  }
}
