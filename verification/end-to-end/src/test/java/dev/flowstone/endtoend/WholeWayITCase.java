// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.testbed.captures.Capture;
import dev.flowstone.testbed.captures.HandMadeCapture;
import dev.flowstone.testbed.faults.CheckpointedJob;
import dev.flowstone.testbed.kafka.ConsoleConsumer;
import dev.flowstone.testbed.programs.Programs;
import dev.flowstone.testbed.programs.ProjectRoot;
import dev.flowstone.testbed.programs.Python;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Captures go through tap, ring, Flink and Kafka to Python, which counts and finds what is known
 * about them: a parser, a ring, a codec and a second decoder must all agree for that.
 *
 * <p>One tap sends all captures into one ring, whose order tells them apart again; two jobs read
 * that ring at the same time, one for each body.
 */
class WholeWayITCase {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final List<String> BODIES = List.of("columns", "raw");

  /** Kafka's own compression, one kind for each body; without any go all other tests. */
  private static final Map<String, String> COMPRESSION = Map.of("columns", "lz4", "raw", "zstd");

  /** Most messages that the console consumer prints: the hand-made capture, and some more. */
  private static final int MOST_PRINTED = 20;

  @TempDir private static Path folder;
  private static final List<Capture> HAND_MADE = new ArrayList<>();
  private static List<Capture> shared;
  private static List<JsonNode> printed;
  private static final Map<String, List<JsonNode>> ANSWERS = new TreeMap<>();

  @BeforeAll
  static void sendEverything() throws Exception {
    assumeTrue(
        Python.find().isPresent(),
        "no python3 with numpy here or in build/venv; ./flowstone test makes one");
    Path handMade = folder.resolve("hand-made.pcap");
    HandMadeCapture.write(handMade);
    HAND_MADE.add(new Capture(handMade, new ObjectMapper().readTree(HandMadeCapture.ORACLE)));
    shared = Capture.below(ProjectRoot.captures());
    try (ScratchFolder rings = ScratchFolder.inMemory("end-to-end");
        BrokerProcess broker = BrokerProcess.start(BrokerOptions.in(folder.resolve("kafka")))) {
      fill(rings.path());
      carry(rings.path(), broker.bootstrapServers());
      for (String body : BODIES) {
        ANSWERS.put(body, count(new KafkaTopic(broker.bootstrapServers(), body)));
      }
      printed =
          ConsoleConsumer.print(
              folder,
              new KafkaTopic(broker.bootstrapServers(), BODIES.getFirst()),
              Math.min(MOST_PRINTED, messagesIn(BODIES.getFirst())));
    }
  }

  private static List<Capture> all() {
    List<Capture> all = new ArrayList<>(HAND_MADE);
    all.addAll(shared);
    return all;
  }

  /** The ring has room for all of it, and keeps it when the tap is gone. */
  private static void fill(Path rings) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("replay"));
    all().forEach(capture -> arguments.add(capture.file().toString()));
    arguments.addAll(List.of("--rings", rings.toString(), "--ring-count", "1"));
    arguments.addAll(List.of("--ring-bytes", "64m"));
    String tap = "dev.flowstone.tap.command.TapCommand";
    try (ChildProcess process =
        ChildProcess.start(
            Programs.of(folder, "tap", tap, arguments).withJvmOptions("-Xmx256m"),
            ChildOutput.gatheredIn(folder))) {
      Programs.requireSuccess(process, LIMIT);
    }
  }

  private static void carry(Path rings, String bootstrapServers) throws Exception {
    List<ChildProcess> jobs = new ArrayList<>();
    try {
      for (String body : BODIES) {
        new KafkaTopic(bootstrapServers, body).create(1);
        jobs.add(startJob(rings, bootstrapServers, body));
      }
      for (ChildProcess job : jobs) {
        Programs.requireSuccess(job, LIMIT);
      }
    } finally {
      jobs.forEach(ChildProcess::close);
    }
  }

  private static ChildProcess startJob(Path rings, String bootstrapServers, String body)
      throws IOException {
    List<String> arguments =
        List.of(
            "--rings",
            rings.toString(),
            "--bootstrap-servers",
            bootstrapServers,
            "--topic",
            body,
            "--body",
            body,
            "--compression",
            COMPRESSION.get(body),
            "--reader-name",
            body,
            "--transaction-prefix",
            body,
            "--parallelism",
            "1",
            "--bounded",
            "--checkpoints",
            folder.resolve("checkpoints-" + body).toString());
    return ChildProcess.start(
        Programs.of(folder, "job-" + body, CheckpointedJob.class.getName(), arguments)
            .withJvmOptions("-Xmx512m", "-XX:+UseSerialGC"),
        ChildOutput.gatheredIn(folder));
  }

  /** What Python says of each capture, and last of what belongs to none. */
  private static List<JsonNode> count(KafkaTopic topic) throws Exception {
    Path messages = messagesOf(topic.name());
    try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(messages))) {
      CommittedMessages.readAll(topic, LIMIT, message -> dump(message.value(), out));
    }
    List<String> arguments = new ArrayList<>(List.of(messages.toString()));
    all().forEach(capture -> arguments.add(Long.toString(capture.packets())));
    List<JsonNode> answers = new ArrayList<>();
    for (String line : Python.run(folder, "count_packets.py", arguments).lines().toList()) {
      answers.add(new ObjectMapper().readTree(line));
    }
    return answers;
  }

  private static Path messagesOf(String body) {
    return folder.resolve(body + ".messages");
  }

  /** Without the shared captures there are few, and the console would wait for more. */
  private static int messagesIn(String body) throws IOException {
    int messages = 0;
    try (DataInputStream in = new DataInputStream(Files.newInputStream(messagesOf(body)))) {
      for (; in.available() > 0; messages++) {
        in.skipNBytes(in.readInt());
      }
    }
    return messages;
  }

  private static void dump(byte[] message, DataOutputStream out) {
    try {
      out.writeInt(message.length);
      out.write(message);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot keep a message for Python", e);
    }
  }

  @Test
  void shouldCountWhatAnyoneCanCountByEye() {
    ANSWERS.forEach(
        (body, answers) ->
            assertThat(HAND_MADE.getFirst().differences(answers.getFirst())).as(body).isEmpty());
  }

  @Test
  void shouldFindWhatIsKnownAboutEveryCapture() {
    assumeTrue(
        !shared.isEmpty(),
        "no captures at " + ProjectRoot.captures() + "; name them with -Dflowstone.captures=DIR");
    List<Capture> all = all();
    ANSWERS.forEach(
        (body, answers) -> {
          List<String> differences = new ArrayList<>();
          for (int i = 0; i < all.size(); i++) {
            differences.addAll(all.get(i).differences(answers.get(i)));
          }
          assertThat(differences).as(body).isEmpty();
        });
    System.out.printf("WholeWayITCase: %d captures, bodies %s%n", all.size(), BODIES);
  }

  @Test
  void shouldEndWithTheLastPacketOfTheLastCapture() {
    ANSWERS.forEach(
        (body, answers) -> assertThat(answers.getLast().get("packets").asLong()).as(body).isZero());
  }

  /** The Python package reads the same messages. */
  @Test
  void shouldPrintPacketsOnKafkasConsole() throws Exception {
    List<String> arguments =
        List.of(messagesOf(BODIES.getFirst()).toString(), Integer.toString(MOST_PRINTED));
    assertThat(printed)
        .isEqualTo(ConsoleConsumer.packets(Python.run(folder, "print_packets.py", arguments)));
  }

  @Test
  void shouldPrintWhatAnyoneCanReadOnKafkasConsole() {
    JsonNode syn = printed.getFirst();
    assertThat(syn.get("time_ns").asLong()).isEqualTo(1_700_000_001_000_000_000L);
    assertThat(syn.get("source_address").asText()).isEqualTo("192.0.2.1");
    assertThat(syn.get("destination_address").asText()).isEqualTo("198.51.100.7");
    assertThat(syn.get("source_port").asInt()).isEqualTo(50_000);
    assertThat(syn.get("destination_port").asInt()).isEqualTo(443);
    assertThat(syn.get("tcp_flags").asInt()).isEqualTo(2);
    assertThat(printed.get(3).get("source_address").asText()).isEqualTo("2001:db8::1");
    JsonNode arp = printed.get(5);
    assertThat(arp.get("destination_port").asInt()).as("EtherType").isEqualTo(0x0806);
    assertThat(arp.get("flow_hash").asLong()).isZero();
  }
}
