// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flowstone.broker.process.SharedBroker;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.testbed.captures.HandMadeCapture;
import dev.flowstone.testbed.programs.Programs;
import dev.flowstone.testbed.programs.ProjectRoot;
import dev.flowstone.testbed.rings.ReplayedTap;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a cluster is sent for a job. */
class ClusterJarITCase {
  private static final Path JVMS = Path.of("/usr/lib/jvm");
  private static final Pattern VERSION = Pattern.compile("JAVA_VERSION=\"(\\d+)");
  private static final int NEEDED_JAVA = 25;
  private static final int JAVA_11_CLASS = 55;

  /** Of the jobs that no other test sends to a cluster. */
  private static final Map<String, List<String>> OWN_ARGUMENTS =
      Map.of(
          "sampling",
          List.of("--one-in", "1"),
          "histogram",
          List.of("--per", "flow"),
          "anomaly",
          List.of("--detect", "syn_flood=5"));

  private static final int RING_COUNT = 2;
  private static final int LAPS = 10;
  private static final long PACKETS = 6 * LAPS;
  private static final Duration LIMIT = Duration.ofMinutes(1);

  @TempDir private Path folder;

  static Path jar(String job) throws IOException {
    Path built = ProjectRoot.find().resolve("jobs").resolve(job).resolve("target");
    try (Stream<Path> files = Files.list(built)) {
      return files
          .filter(file -> file.toString().endsWith("-cluster.jar"))
          .findFirst()
          .orElseThrow(() -> new AssertionError("no cluster jar; mvn package makes it"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "platform, PlatformCommand",
    "sampling, SamplingCommand",
    "histogram, HistogramCommand",
    "anomaly, AnomalyCommand"
  })
  void shouldHoldAllThatAStockFlinkLacksAndNothingThatItHas(String job, String command)
      throws IOException {
    try (JarFile jar = new JarFile(jar(job).toFile())) {
      List<String> names = jar.stream().map(entry -> entry.getName()).toList();
      assertThat(names)
          .contains(
              "dev/flowstone/jobs/%s/%s.class".formatted(job, command),
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

  /** From entry to sinks; the platform's jar is what {@code submit} sends, see DeploymentITCase. */
  @Test
  @Tag("slow")
  @Timeout(120)
  void shouldRunOnAFlinkAndNothingElse() throws Exception {
    try (ScratchFolder rings = ScratchFolder.inMemory("cluster-jars")) {
      fill(rings.path());
      List<ChildProcess> jobs = new ArrayList<>();
      try {
        for (Map.Entry<String, List<String>> job : OWN_ARGUMENTS.entrySet()) {
          topic(job.getKey()).create(RING_COUNT);
          jobs.add(start(job.getKey(), job.getValue(), rings.path()));
        }
        for (ChildProcess job : jobs) {
          Programs.requireSuccess(job, LIMIT);
        }
      } finally {
        jobs.forEach(ChildProcess::close);
      }
      ReplayedTap.requireBalance(topic("sampling"), PACKETS);
      assertThat(told("histogram")).contains("\"kind\":\"histogram\"");
      assertThat(told("anomaly")).contains("\"kind\":\"alert\"");
    }
  }

  private void fill(Path rings) throws Exception {
    Path capture = folder.resolve("six.pcap");
    HandMadeCapture.write(capture, Duration.ofMillis(1));
    try (ChildProcess tap =
        Programs.run(
            folder,
            "dev.flowstone.tap.command.TapCommand",
            "replay",
            capture.toString(),
            "--loop",
            "" + LAPS,
            "--rings",
            rings.toString(),
            "--ring-count",
            "" + RING_COUNT,
            "--ring-bytes",
            "1m")) {
      assertThat(tap.end().status()).as(Programs.said(tap)).isZero();
    }
  }

  private static KafkaTopic topic(String job) throws Exception {
    return new KafkaTopic(SharedBroker.bootstrapServers(), "cluster-jar-" + job);
  }

  private ChildProcess start(String job, List<String> own, Path rings) throws Exception {
    List<String> arguments = new ArrayList<>(own);
    arguments.addAll(
        List.of(
            "--rings",
            rings.toString(),
            "--bounded",
            "--bootstrap-servers",
            SharedBroker.bootstrapServers(),
            "--topic",
            topic(job).name()));
    return ChildProcess.start(
        Programs.of(folder, job, "dev.flowstone.jobs.entry.JobEntry", arguments)
            .withClassPath(jar(job) + File.pathSeparator + flinkAlone())
            .withJvmOptions("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
        ChildOutput.gatheredIn(folder));
  }

  private static String told(String job) throws Exception {
    StringBuilder told = new StringBuilder();
    CommittedMessages.readAll(
        topic(job), LIMIT, message -> told.append(new String(message.value(), UTF_8)));
    return told.toString();
  }

  static String flinkAlone() throws IOException {
    return Files.readString(ProjectRoot.find().resolve("flink-conf/target/runtime.classpath"))
        .strip();
  }

  @Test
  void shouldSayInOneLineOnAnOlderJavaWhatIsNeeded() throws Exception {
    Optional<Path> older = olderJava();
    assumeTrue(
        older.isPresent(), "no JDK 11 to 24 below " + JVMS + ": apt-get install openjdk-17-jdk");
    String said = run(older.get(), "-jar", jar("platform").toString(), "--help");
    assertThat(said)
        .hasLineCount(1)
        .containsPattern("needs Java 25 or newer and runs on Java \\d+ \\(" + older.get());
    assertThat(
            run(
                older.get(),
                // As Flink's own script does.
                "--add-opens=java.base/java.util=ALL-UNNAMED",
                "-cp",
                flinkAlone(),
                "org.apache.flink.client.cli.CliFrontend",
                "run",
                jar("platform").toString()))
        .as("what Flink makes of it")
        .contains("needs Java 25 or newer and runs on Java");
  }

  /** Of this machine, if it has one. */
  static Optional<Path> olderJava() throws IOException {
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
