// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flowstone.testbed.flink.FactoriesAsked;
import dev.flowstone.testbed.programs.CompiledSource;
import dev.flowstone.testbed.programs.ProjectRoot;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes into the {@code lib} of somebody else's Flink, beside jars that nobody here knows. */
@Tag("sql")
class SqlJarTest {
  @TempDir private Path folder;

  private static Path jar() throws IOException {
    try (Stream<Path> files = Files.list(ProjectRoot.find().resolve("sql/jar/target"))) {
      return files
          .filter(
              file -> file.getFileName().toString().matches("flink-sql-connector-fpga-.*\\.jar"))
          .findFirst()
          .orElseThrow(() -> new AssertionError("no jar; mvn package makes it"));
    }
  }

  @Test
  void shouldHaveNoNameThatAnotherJarMayHave() throws Exception {
    try (JarFile jar = new JarFile(jar().toFile())) {
      List<String> names =
          jar.stream().filter(each -> !each.isDirectory()).map(ZipEntry::getName).toList();
      assertThat(names)
          .contains(
              "dev/flowstone/sql/connector/source/RingTableSource.class",
              "dev/flowstone/shaded/HdrHistogram/Histogram.class",
              "dev/flowstone/shaded/snakeyaml/engine/v2/api/Load.class",
              "META-INF/services/org.apache.flink.table.factories.Factory")
          .allMatch(each -> each.startsWith("dev/flowstone/") || each.startsWith("META-INF/"));
    }
  }

  /** Each by itself: Flink says what the one says that it asked. */
  @Test
  void shouldSayOnAnOlderJavaWhatIsNeeded() throws Exception {
    Optional<Path> older = ClusterJarITCase.olderJava();
    assumeTrue(older.isPresent(), "no JDK 11 to 24: apt-get install openjdk-17-jdk");
    compileForOlderJava(FactoriesAsked.class);
    assertThat(askFactories(older.get()).lines().map(said -> said.split(": ", 2)))
        .allSatisfy(
            said ->
                assertThat(said[1])
                    .startsWith("Flowstone needs Java 25 or newer and runs on Java ")
                    .contains("(" + older.get() + ")"))
        .extracting(said -> said[0])
        .containsExactlyInAnyOrder("table", "read", "written", "module");
  }

  private void compileForOlderJava(Class<?> program) {
    Path source =
        ProjectRoot.find()
            .resolve("verification/testbed/src/main/java")
            .resolve(program.getName().replace('.', '/') + ".java");
    CompiledSource.in(folder, source, "--release", "11");
  }

  private String askFactories(Path java) throws Exception {
    Path output = folder.resolve("said");
    Process asking =
        new ProcessBuilder(
                java.resolve("bin/java").toString(),
                "-cp",
                String.join(
                    File.pathSeparator,
                    folder.toString(),
                    jar().toString(),
                    ClusterJarITCase.flinkAlone()),
                FactoriesAsked.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(asking.waitFor()).as(Files.readString(output)).isZero();
    return Files.readString(output);
  }
}
