// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.testbed.programs.ProjectRoot;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The project of docs/first-job fits this version. {@link FirstJobITCase} builds and runs it. */
class FirstJobTest {
  private static final Path ROOT = ProjectRoot.find();
  private static final Path PROJECT = ROOT.resolve("docs/first-job");
  private static final Pattern ARTIFACT =
      Pattern.compile("<groupId>dev.flowstone</groupId><artifactId>flowstone-([^<]+)</artifactId>");

  /** What the connector brings along. */
  private static final List<String> MODULES =
      List.of("packet-model", "offheap", "blocks", "stages", "connector-fpga-source");

  @TempDir private Path classes;

  @Test
  void shouldCompileAgainstTheConnectorAndFlinkAlone() throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of("-Xlint:all,-classfile,-path,-serial", "-Werror", "--release", "25"));
    arguments.addAll(List.of("-d", classes.toString(), "-classpath", classPath()));
    try (Stream<Path> sources = Files.walk(PROJECT.resolve("src/main/java"))) {
      sources.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(arguments::add);
    }
    StringWriter said = new StringWriter();
    int status =
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(new PrintWriter(said), new PrintWriter(said), arguments.toArray(String[]::new));
    assertThat(status).as(said.toString()).isZero();
    assertThat(classes.resolve("com/example/FirstJob.class")).exists();
  }

  /** This test's class path, of Flowstone's modules only those. */
  private static String classPath() {
    List<String> modules =
        MODULES.stream().map(module -> ROOT.resolve(module) + File.separator).toList();
    return String.join(
        File.pathSeparator,
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(
                entry ->
                    !entry.startsWith(ROOT + File.separator)
                        || modules.stream().anyMatch(entry::startsWith))
            .toList());
  }

  @Test
  void shouldNameArtifactsThatThisBuildMakes() throws IOException {
    List<MatchResult> artifacts =
        ARTIFACT.matcher(Files.readString(PROJECT.resolve("pom.xml"))).results().toList();
    assertThat(artifacts)
        .isNotEmpty()
        .allSatisfy(artifact -> assertThat(ROOT.resolve(artifact.group(1))).isDirectory());
  }

  @Test
  void shouldNameTheJvmOptionsOfThisBuild() throws IOException {
    String project = Files.readString(PROJECT.resolve("pom.xml"));
    String page = Files.readString(ROOT.resolve("docs/first-job.md"));
    String options =
        String.join(" ", Files.readAllLines(ROOT.resolve("build-support/jvm.options")));
    assertThat(project).contains("<job.jvm.args>" + options + "</job.jvm.args>");
    assertThat(page).contains(options);
  }
}
