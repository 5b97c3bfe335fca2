// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.broker.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A broker as a process: what it carries, and how it starts and ends. */
@Timeout(120)
class BrokerProcessITCase {
  private static final Duration CONSUME_LIMIT = Duration.ofSeconds(30);
  private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

  @TempDir Path directory;

  @Test
  void shouldCarryRecordsOnLoopbackOnly() throws Exception {
    List<String> sent = IntStream.range(0, 1000).mapToObj(i -> "packet-" + i).toList();
    String broker = SharedBroker.bootstrapServers();
    int port = Integer.parseInt(broker.substring(broker.indexOf(':') + 1));
    // 127.0.0.2 reaches this machine as well: only a listener bound to every address answers.
    assertThatThrownBy(() -> new Socket(InetAddress.ofLiteral("127.0.0.2"), port).close())
        .isInstanceOf(ConnectException.class);
    createTopic(broker, "carried");
    produce(broker, "carried", sent);
    assertThat(consume(broker, "carried", sent.size())).isEqualTo(sent);
  }

  @Test
  void shouldShowCommittedTransactionsOnly() throws Exception {
    String broker = SharedBroker.bootstrapServers();
    String topic = "committed";
    createTopic(broker, topic);
    try (KafkaProducer<String, String> producer =
        producer(broker, Map.of("transactional.id", "job"))) {
      producer.initTransactions();
      producer.beginTransaction();
      send(producer, topic, "aborted");
      producer.abortTransaction();
      producer.beginTransaction();
      send(producer, topic, "committed");
      producer.commitTransaction();
      // Left open: a reader must not see it, nor wait for it once it has the committed one.
      producer.beginTransaction();
      send(producer, topic, "open");
      producer.flush();
      assertThat(consume(broker, topic, 1)).containsExactly("committed");
    }
  }

  @Test
  void shouldStopOnSigtermAndKeepRecordsAcrossRestart() throws Exception {
    String topic = "kept";
    try (BrokerProcess broker = BrokerProcess.start(BrokerOptions.in(directory))) {
      createTopic(broker.bootstrapServers(), topic);
      produce(broker.bootstrapServers(), topic, List.of("before"));
      broker.requireRunning();
      broker.handle().destroy();
      broker.handle().onExit().join();
      assertThatThrownBy(broker::requireRunning)
          .hasMessageStartingWith("the broker ended with SIGTERM");
    }
    BrokerProcess started = BrokerProcess.start(BrokerOptions.in(directory));
    try (BrokerProcess broker = started) {
      produce(broker.bootstrapServers(), topic, List.of("after"));
      assertThat(consume(broker.bootstrapServers(), topic, 2)).containsExactly("before", "after");
    }
    assertThat(started.handle().isAlive()).as("broker after close").isFalse();
    assertThatThrownBy(() -> new Socket(LOOPBACK, started.port()).close())
        .isInstanceOf(IOException.class);
  }

  @Test
  void shouldSayInOneLineThatPortIsBusy() throws Exception {
    try (ServerSocket occupied = new ServerSocket()) {
      occupied.bind(new InetSocketAddress(LOOPBACK, 0));
      BrokerOptions options = BrokerOptions.in(directory).onPort(occupied.getLocalPort());
      assertThatThrownBy(() -> BrokerProcess.start(options).close())
          .isInstanceOf(IOException.class)
          .hasMessage(
              "the broker failed: port %d on 127.0.0.1 is in use; choose another with --port,"
                  + " or 0 for any free one",
              occupied.getLocalPort());
    }
  }

  private static void createTopic(String broker, String topic) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker))) {
      admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
    }
  }

  private static void produce(String broker, String topic, List<String> values) {
    try (KafkaProducer<String, String> producer = producer(broker, Map.of())) {
      values.forEach(value -> send(producer, topic, value));
    }
  }

  private static void send(KafkaProducer<String, String> producer, String topic, String value) {
    // A record that is refused is missing when it is read back: the assertions there see it.
    var _ = producer.send(new ProducerRecord<>(topic, value));
  }

  private static KafkaProducer<String, String> producer(String broker, Map<String, Object> extra) {
    Map<String, Object> settings = new HashMap<>(extra);
    settings.put("bootstrap.servers", broker);
    return new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
  }

  private static List<String> consume(String broker, String topic, int count) {
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers",
            broker,
            "group.id",
            topic + "-reader",
            "auto.offset.reset",
            "earliest",
            "isolation.level",
            "read_committed");
    List<String> values = new ArrayList<>();
    long deadlineNs = System.nanoTime() + CONSUME_LIMIT.toNanos();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(List.of(topic));
      while (values.size() < count && System.nanoTime() - deadlineNs < 0) {
        consumer.poll(Duration.ofMillis(100)).forEach(message -> values.add(message.value()));
      }
    }
    return values;
  }
}
