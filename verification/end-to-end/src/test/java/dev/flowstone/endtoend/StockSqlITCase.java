// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.testbed.flink.ImageFlink;
import dev.flowstone.testbed.flink.StockFlink;
import dev.flowstone.testbed.programs.Programs;
import dev.flowstone.testbed.programs.ProjectRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.kafka.clients.producer.Producer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The jar of tables in the lib folder of a Flink that nobody here put together, asked by that
 * Flink's own SQL client, as docs/sql.md says.
 */
@Tag("slow")
@Timeout(300)
class StockSqlITCase {
  private static final Path ROOT = ProjectRoot.find();

  /** What a user gets for himself: Kafka's connector, and what Flink's clients need on JDK 25. */
  private static final Path BESIDE_STOCK_FLINK =
      ROOT.resolve("verification/end-to-end/target/beside-stock-flink");

  private static final String HOW_MANY =
      "SELECT COUNT(*) AS packets, COUNT(*) FILTER (WHERE syn) AS syns FROM packets;";

  @TempDir private Path folder;
  private ScratchFolder home;
  private ScratchFolder rings;

  @BeforeEach
  void putTheJarIntoAStockFlink() throws Exception {
    home = StockFlink.copy();
    link(one(ROOT.resolve("sql/client/target/connectors"), "flink-sql-connector-fpga-"), "lib");
    // The packages on PyPI lack it, the distribution has it in this folder.
    link(gateway(), "opt");
    rings = ScratchFolder.inMemory("stock-sql");
    try (ChildProcess tap =
        Programs.run(
            folder,
            "dev.flowstone.tap.command.TapCommand",
            "replay",
            ROOT.resolve("traffic/captures/web-http.pcap").toString(),
            "--rings",
            rings.path().toString(),
            "--ring-bytes",
            "1m")) {
      assertThat(tap.end().status()).as(Programs.said(tap)).isZero();
    }
  }

  @AfterEach
  void end() {
    Stream.of(home, rings).filter(Objects::nonNull).forEach(ScratchFolder::close);
  }

  private void link(Path jar, String into) throws Exception {
    Files.createSymbolicLink(home.path().resolve(into).resolve(jar.getFileName()), jar);
  }

  private static Path one(Path folder, String begin) throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(begin))
          .filter(file -> file.toString().endsWith(".jar"))
          .findFirst()
          .orElseThrow(() -> new AssertionError("no " + begin + "*.jar in " + folder));
    }
  }

  private static Path gateway() throws Exception {
    String jars = Files.readString(ROOT.resolve("sql/client/target/runtime.classpath"));
    return Stream.of(jars.strip().split(":", -1))
        .filter(jar -> jar.contains("/flink-sql-gateway-2"))
        .map(Path::of)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void shouldAnswerOnAClusterOfItsOwn() throws Exception {
    try (ImageFlink _ = ImageFlink.start(home.path())) {
      assertThat(ask(thisJava(), HOW_MANY)).containsPattern("\\| +363 \\| +23 \\|");
    }
  }

  static List<List<Path>> kafkaConnectors() throws Exception {
    return List.of(
        List.of(one(BESIDE_STOCK_FLINK, "flink-sql-connector-kafka-")),
        List.of(jarOf(KafkaSource.class), jarOf(Producer.class)));
  }

  /** With either form of Flink's Kafka connector beside the jar, and a function of the module. */
  @ParameterizedTest
  @MethodSource("kafkaConnectors")
  void shouldKeepPacketsInKafkaAndReadThemAgain(List<Path> connector) throws Exception {
    for (Path jar : connector) {
      link(jar, "lib");
    }
    try (BrokerProcess broker = BrokerProcess.start(BrokerOptions.in(folder.resolve("kafka")));
        ImageFlink _ = ImageFlink.start(home.path())) {
      KafkaTopic found = new KafkaTopic(broker.bootstrapServers(), "found");
      found.create(1);
      String keep =
          """
          SET 'table.dml-sync' = 'true';
          CREATE TABLE found (
            time_ns BIGINT NOT NULL, source_address STRING, destination_address STRING, protocol INT,
            tcp_flags INT, frame_length INT NOT NULL, kept TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL,
            nth BIGINT METADATA FROM 'offset' VIRTUAL, of_rule INT NOT NULL METADATA FROM 'value.rule' VIRTUAL) WITH (
            'connector' = 'kafka', 'properties.bootstrap.servers' = '%1$s', 'topic' = 'found',
            'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
            'format' = 'packets');
          INSERT INTO found
          SELECT time_ns, source_address, destination_address, protocol, tcp_flags, frame_length
          FROM packets WHERE syn;
          LOAD MODULE flowstone;
          SELECT tcp_flags_text(tcp_flags) AS flags, COUNT(*) AS packets FROM found GROUP BY tcp_flags;
          SELECT MAX(nth) AS latest, SUM(of_rule) AS rules, MIN(frame_length) AS shortest FROM found
          WHERE kept BETWEEN CURRENT_TIMESTAMP - INTERVAL '5' MINUTE AND CURRENT_TIMESTAMP AND protocol = 6;
          CREATE TABLE keyed (finder STRING, time_ns BIGINT NOT NULL, frame_length INT NOT NULL) WITH (
            'connector' = 'kafka', 'properties.bootstrap.servers' = '%1$s', 'topic' = 'found',
            'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
            'key.format' = 'raw', 'key.fields' = 'finder', 'value.fields-include' = 'EXCEPT_KEY',
            'value.format' = 'packets');
          INSERT INTO keyed SELECT 'somebody', time_ns, frame_length FROM packets WHERE protocol = 6;
          SELECT finder, MIN(frame_length) AS smallest, COUNT(*) AS kept FROM keyed GROUP BY finder;
          """
              .formatted(found.bootstrapServers());
      assertThat(ask(thisJava(), keep))
          .containsPattern("\\| +SYN \\| +12 \\|")
          .containsPattern("\\| +SYN,ACK \\| +11 \\|")
          .containsPattern("\\| +22 \\| +0 \\| +74 \\|")
          .containsPattern("\\| +<NULL> \\| +74 \\| +23 \\|")
          .containsPattern("\\| +somebody \\| +54 \\| +357 \\|");
    }
  }

  @Test
  void shouldSayOnAnOlderJavaWhatIsNeeded() throws Exception {
    Optional<Path> older = ClusterJarITCase.olderJava();
    assumeTrue(older.isPresent(), "no JDK 11 to 24: apt-get install openjdk-17-jdk");
    assertThat(ask(older.get(), HOW_MANY).lines().filter(line -> line.contains("Flowstone needs")))
        .singleElement()
        .asString()
        .contains("needs Java 25 or newer and runs on Java ", "(" + older.get() + ")");
  }

  private static Path thisJava() {
    return Path.of(System.getProperty("java.home"));
  }

  private static Path jarOf(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  private String ask(Path java, String questions) throws Exception {
    Path script =
        Files.writeString(
            folder.resolve("question.sql"),
            """
            SET 'execution.runtime-mode' = 'batch';
            SET 'sql-client.execution.result-mode' = 'tableau';
            CREATE TABLE packets (
              time_ns BIGINT NOT NULL, source_address STRING, destination_address STRING, protocol INT,
              tcp_flags INT, frame_length INT NOT NULL, syn BOOLEAN) WITH (
              'connector' = 'fpga', 'rings' = '%s', 'start' = 'oldest', 'end' = 'end_of_tap');
                  %s
            """
                .formatted(rings.path(), questions));
    Path output = folder.resolve("answer");
    ProcessBuilder client =
        new ProcessBuilder(
                home.path().resolve("bin/sql-client.sh").toString(), "-f", script.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    ImageFlink.environment(client, home.path(), java);
    client
        .environment()
        .put("HADOOP_CLASSPATH", one(BESIDE_STOCK_FLINK, "hadoop-client-api-").toString());
    client.start().waitFor();
    return Files.readString(output);
  }
}
