// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a cluster is sent for a job. */
class ClusterJarITCase {
  private static final Path JVMS = Path.of("/usr/lib/jvm");
  private static final Pattern VERSION = Pattern.compile("JAVA_VERSION=\"(\\d+)");
  private static final int NEEDED_JAVA = 25;
  private static final int JAVA_11_CLASS = 55;

  @TempDir private Path folder;

  static Path jar() throws IOException {
    try (Stream<Path> files = Files.list(ProjectRoot.find().resolve("jobs/platform/target"))) {
      return files
          .filter(file -> file.toString().endsWith("-cluster.jar"))
          .findFirst()
          .orElseThrow(() -> new AssertionError("no cluster jar; mvn package makes it"));
    }
  }

  @Test
  void shouldHoldAllThatAStockFlinkLacksAndNothingThatItHas() throws IOException {
    try (JarFile jar = new JarFile(jar().toFile())) {
      List<String> names = jar.stream().map(entry -> entry.getName()).toList();
      assertThat(names)
          .contains(
              "dev/flowstone/jobs/platform/PlatformCommand.class",
              "dev/flowstone/connector/fpga/FpgaSource.class",
              "org/apache/kafka/clients/producer/KafkaProducer.class")
          .anyMatch(name -> name.endsWith("/libflowstone_parser.so"))
          .noneMatch(name -> name.startsWith("org/slf4j/"));
      assertThat(names)
          .filteredOn(name -> name.startsWith("org/apache/flink/") && name.endsWith(".class"))
          .isNotEmpty()
          .as("the Kafka connector alone")
          .allMatch(name -> name.contains("/kafka/") || name.contains("JSONKeyValue"));
      byte[] entry =
          jar.getInputStream(jar.getEntry("dev/flowstone/jobs/entry/JobEntry.class")).readNBytes(8);
      assertThat((int) entry[7]).as("class file version").isEqualTo(JAVA_11_CLASS);
    }
  }

  @Test
  void shouldSayInOneLineOnAnOlderJavaWhatIsNeeded() throws Exception {
    Optional<Path> older = olderJava();
    assumeTrue(
        older.isPresent(), "no JDK 11 to 24 below " + JVMS + ": apt-get install openjdk-17-jdk");
    String said = run(older.get(), "-jar", jar().toString(), "--help");
    assertThat(said)
        .hasLineCount(1)
        .containsPattern("needs Java 25 or newer and runs on Java \\d+ \\(" + older.get());
    String flink =
        Files.readString(ProjectRoot.find().resolve("flink-conf/target/runtime.classpath"));
    assertThat(
            run(
                older.get(),
                // As Flink's own script does.
                "--add-opens=java.base/java.util=ALL-UNNAMED",
                "-cp",
                flink.strip(),
                "org.apache.flink.client.cli.CliFrontend",
                "run",
                jar().toString()))
        .as("what Flink makes of it")
        .contains("needs Java 25 or newer and runs on Java");
  }

  private static Optional<Path> olderJava() throws IOException {
    if (!Files.isDirectory(JVMS)) {
      return Optional.empty();
    }
    try (Stream<Path> homes = Files.list(JVMS)) {
      return homes.filter(ClusterJarITCase::isOlder).findFirst();
    }
  }

  private static boolean isOlder(Path home) {
    Path release = home.resolve("release");
    try {
      Matcher version = VERSION.matcher(Files.exists(release) ? Files.readString(release) : "");
      return version.find()
          && Integer.parseInt(version.group(1)) >= 11
          && Integer.parseInt(version.group(1)) < NEEDED_JAVA;
    } catch (IOException unreadable) {
      return false;
    }
  }

  private String run(Path java, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(java.resolve("bin/java").toString()));
    command.addAll(List.of(arguments));
    Path output = folder.resolve("said");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder
        .environment()
        .put("FLINK_CONF_DIR", ProjectRoot.find().resolve("flink-conf").toString());
    assertThat(builder.start().waitFor()).isNotZero();
    return Files.readString(output);
  }
}
