// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.jobs.endpoints.KafkaOptions;
import dev.flowstone.jobs.endpoints.KafkaSinks;
import dev.flowstone.jobs.endpoints.PacketBatchOptions;
import dev.flowstone.jobs.endpoints.WantedTopic;
import dev.flowstone.jobs.entry.JobStart;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.IntStream;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A job whose broker wants TLS and a login. */
@Timeout(120)
class SecuredBrokerITCase {
  private static final String TOPIC = "secured";
  private static final int MESSAGES = 50;
  private static final Duration POLL = Duration.ofMillis(200);

  @TempDir private static Path folder;
  private static SecuredBroker broker;

  private final List<String> warnings = new ArrayList<>();

  @BeforeAll
  static void startBroker() throws Exception {
    broker = SecuredBroker.start(folder);
    try (Admin admin = Admin.create(client())) {
      admin
          .createTopics(
              List.of(new NewTopic(TOPIC, Optional.of(TextBlocks.RINGS), Optional.empty())))
          .all()
          .get();
    }
  }

  @AfterAll
  static void stopBroker() {
    if (broker != null) {
      broker.close();
    }
  }

  private static KafkaOptions options(String password) throws IOException {
    KafkaOptions options = new KafkaOptions();
    options.bootstrapServers = broker.bootstrapServers();
    options.propertiesFile = broker.clientProperties(password);
    return options;
  }

  /** Any client of Kafka: what the job's own clients do is not asked. */
  private static Properties client() throws IOException {
    Properties client = new Properties();
    try (Reader reader = Files.newBufferedReader(broker.clientProperties(SecuredBroker.PASSWORD))) {
      client.load(reader);
    }
    client.setProperty("bootstrap.servers", broker.bootstrapServers());
    client.setProperty("isolation.level", "read_committed");
    client.setProperty("auto.offset.reset", "earliest");
    return client;
  }

  private void check(KafkaOptions options) throws InterruptedException {
    options.check(
        List.of(WantedTopic.ofPackets(TOPIC, TextBlocks.RINGS)),
        new JobStart(1, 128, warnings::add));
  }

  @Test
  void deliversExactlyOnceByTlsAndWithALogin() throws Exception {
    KafkaOptions options = options(SecuredBroker.PASSWORD);
    check(options);
    assertThat(warnings).isEmpty();
    Configuration configuration = new Configuration();
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(200));
    try (LocalCluster cluster = LocalCluster.start(new ClusterSize(1, 16, 16), configuration)) {
      cluster
          .submit(
              1,
              environment ->
                  environment
                      .fromSequence(0, MESSAGES - 1)
                      .map(number -> Long.toString(number))
                      .sinkTo(
                          new TextSink<>(
                              KafkaSinks.ofPackets(
                                  options, TOPIC, TOPIC, new PacketBatchOptions()))))
          .result()
          .get();
    }
    assertThat(committed())
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, MESSAGES).mapToObj(Integer::toString).toList());
  }

  /** All of them: the job has ended, so that no transaction is open. */
  private static List<String> committed() throws IOException {
    List<String> texts = new ArrayList<>();
    List<TopicPartition> partitions =
        IntStream.range(0, TextBlocks.RINGS)
            .mapToObj(partition -> new TopicPartition(TOPIC, partition))
            .toList();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(client(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.assign(partitions);
      var ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
        consumer.poll(POLL).forEach(message -> texts.add(TextBlocks.text(message.value())));
      }
    }
    return texts;
  }

  @Test
  void rejectsAWrongPasswordWithoutRepeatingIt() throws Exception {
    KafkaOptions options = options("guessed-wrong");
    assertThatThrownBy(() -> check(options))
        .hasMessageStartingWith("Kafka at " + broker.bootstrapServers() + " refuses: ")
        .hasMessageContaining("Authentication failed")
        .hasMessageNotContaining("guessed-wrong");
  }
}
