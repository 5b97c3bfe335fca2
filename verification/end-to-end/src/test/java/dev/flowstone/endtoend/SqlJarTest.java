// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;

/** What goes into the {@code lib} of somebody else's Flink, beside jars that nobody here knows. */
class SqlJarTest {
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
}
