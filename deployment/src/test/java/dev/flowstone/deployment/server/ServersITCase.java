// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.deployment.StateFolder;
import dev.flowstone.offheap.FileLock;
import dev.flowstone.processes.LoopbackPorts;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./flowstone broker} and {@code questdb}: servers that outlive the command. */
@Timeout(400)
class ServersITCase {
  private static final TopicPartition PARTITION = new TopicPartition("packets", 0);

  @TempDir private Path state;

  /** What a command printed on both streams, and its exit status. */
  private record Result(int status, String output) {}

  @AfterEach
  void stopAll() throws Exception {
    for (Server server : Server.values()) {
      local(server).stop();
    }
  }

  private LocalServer local(Server server) {
    return LocalServer.in(new StateFolder(state), server);
  }

  @Test
  void keepsTopicsAndMessagesOverAStop() throws Exception {
    LocalServer local = local(Server.BROKER);
    assertThat(broker("status")).isEqualTo(notRunning());
    assertThat(broker("topics").output()).contains("no Kafka broker is running");

    assertThat(broker("start", "--port", "0").output())
        .startsWith("Kafka broker is ready\n  Kafka    127.0.0.1:");
    int port = local.ports().getFirst();
    assertThat(broker("topics", "create", "packets", "--partitions", "3"))
        .isEqualTo(new Result(0, "topic packets has been created, partitions: 3\n"));
    send(port, "before the stop");
    requireSameServer(port);
    requireSameTopic();

    try (FileLock _ = local.supervision().takeTurnToStart().orElseThrow()) {
      assertThat(broker("stop").output())
          .startsWith("flowstone: ./flowstone broker start is in progress");
    }
    assertThat(broker("stop")).isEqualTo(new Result(0, "Kafka broker has stopped\n"));
    assertThat(LoopbackPorts.isFree(port)).as("the broker has ended when stop returns").isTrue();
    assertThat(broker("status")).isEqualTo(notRunning());
    assertThat(broker("stop")).isEqualTo(new Result(0, "no Kafka broker is running\n"));

    assertThat(broker("start", "--port", Integer.toString(port)).status()).isZero();
    assertThat(broker("topics")).isEqualTo(new Result(0, "packets  partitions: 4\n"));
    assertThat(firstMessage(port)).isEqualTo("before the stop");

    ProcessHandle supervisor = local.supervision().process().orElseThrow();
    List<ProcessHandle> servers = supervisor.descendants().toList();
    assertThat(servers).as("the broker's process").isNotEmpty();
    supervisor.destroyForcibly();
    // The port is free before the broker has written its last files.
    servers.forEach(each -> each.onExit().join());
    supervisor.onExit().join();
    assertThat(LoopbackPorts.isFree(port)).isTrue();
    assertThat(local.supervision().isActive()).isFalse();
    assertThat(broker("status")).as("after its supervisor was killed").isEqualTo(notRunning());
  }

  private void requireSameServer(int port) throws Exception {
    String address = "127.0.0.1:" + port;
    assertThat(broker("start").output())
        .startsWith("Kafka broker is already running\n  Kafka    " + address);
    assertThat(broker("start", "--port", Integer.toString(port)).status()).isZero();
    assertThat(broker("start", "--port", "1"))
        .isEqualTo(
            new Result(
                1,
                "flowstone: --port 1: Kafka broker is already running with port %d; run ./flowstone broker stop first\n"
                    .formatted(port)));
    long pid = local(Server.BROKER).supervision().process().orElseThrow().pid();
    assertThat(broker("status").output())
        .startsWith("Kafka broker is running\n  Kafka    " + address)
        .contains("process  " + pid);
  }

  private void requireSameTopic() {
    assertThat(broker("topics", "create", "packets", "--partitions", "3"))
        .isEqualTo(new Result(0, "topic packets already exists, partitions: 3\n"));
    assertThat(broker("topics", "create", "packets", "--partitions", "4"))
        .isEqualTo(
            new Result(
                1,
                "flowstone: topic packets already exists with 3 partitions; topics alter can increase them\n"));
    assertThat(broker("topics", "alter", "packets", "--partitions", "4").status()).isZero();
  }

  private static Result notRunning() {
    return new Result(1, "no Kafka broker is running: ./flowstone broker start\n");
  }

  @Test
  void startsQuestDbWithPortsForJobsAndForSql() throws Exception {
    assertThat(questDb("start", "--port", "0", "--sql-port", "0").output())
        .startsWith("QuestDB is ready\n  HTTP     http://127.0.0.1:");
    List<Integer> ports = local(Server.QUESTDB).ports();
    assertThat(questDb("status").output()).contains("\n  SQL      127.0.0.1:" + ports.getLast());
    assertThat(answer(ports.getFirst())).contains("\"dataset\":[[42]]");
    assertThat(LoopbackPorts.isFree(ports.getLast())).isFalse();
    assertThat(questDb("stop").output()).isEqualTo("QuestDB has stopped\n");
  }

  @Test
  void namesThePortThatIsInUseAndItsOption() throws Exception {
    try (var occupied = new ServerSocket()) {
      occupied.bind(new InetSocketAddress(InetAddress.ofLiteral(LoopbackPorts.HOST), 0));
      String port = Integer.toString(occupied.getLocalPort());
      assertThat(questDb("start", "--port", "0", "--sql-port", port).output())
          .isEqualTo("flowstone: port " + port + " is taken; choose another with --sql-port\n");
    }
  }

  private Result broker(String... arguments) {
    return run(new BrokerCommand(() -> new StateFolder(state)), arguments);
  }

  private Result questDb(String... arguments) {
    return run(new QuestDbCommand(() -> new StateFolder(state)), arguments);
  }

  private static Result run(Object command, String... arguments) {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream out = System.out;
    PrintStream err = System.err;
    PrintStream both = new PrintStream(said, true, UTF_8);
    System.setOut(both);
    System.setErr(both);
    try {
      return new Result(CommandRunner.run(command, arguments), said.toString(UTF_8));
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }

  private static void send(int port, String message) throws Exception {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings(port), new StringSerializer(), new StringSerializer())) {
      producer.send(new ProducerRecord<>(PARTITION.topic(), 0, null, message)).get();
    }
  }

  private static String firstMessage(int port) {
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(settings(port), new StringDeserializer(), new StringDeserializer())) {
      consumer.assign(List.of(PARTITION));
      consumer.seekToBeginning(List.of(PARTITION));
      ConsumerRecords<String, String> messages = ConsumerRecords.empty();
      while (messages.isEmpty()) {
        messages = consumer.poll(Duration.ofSeconds(1));
      }
      return messages.iterator().next().value();
    }
  }

  private static Map<String, Object> settings(int port) {
    return Map.of("bootstrap.servers", LoopbackPorts.HOST + ":" + port);
  }

  private static String answer(int port) throws Exception {
    URI query = URI.create("http://127.0.0.1:" + port + "/exec?query=select%2042");
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(HttpRequest.newBuilder(query).build(), BodyHandlers.ofString()).body();
    }
  }
}
