// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads a topic that does not exist yet, and a topic that an open transaction blocks. */
class CommittedMessagesITCase {
  @TempDir private static Path folder;
  private static BrokerProcess broker;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = BrokerProcess.start(BrokerOptions.in(folder));
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Test
  void shouldWaitForATopicThatIsMadeMeanwhile() throws Exception {
    KafkaTopic topic = new KafkaTopic(broker.bootstrapServers(), "later");
    CompletableFuture<Void> made =
        CompletableFuture.runAsync(
            () -> create(topic), CompletableFuture.delayedExecutor(1_500, TimeUnit.MILLISECONDS));
    try (CommittedMessages messages = new CommittedMessages(topic)) {
      assertThat(messages.writtenEnds()).hasSize(3);
      assertThat(messages.poll()).isEmpty();
    }
    made.get();
    KafkaTopic never = new KafkaTopic(broker.bootstrapServers(), "never");
    assertThatThrownBy(() -> new CommittedMessages(never, Duration.ofSeconds(1)).close())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("knows no topic never")
        .hasMessageContaining("make it first");
  }

  @Test
  void shouldNameTheTransactionThatBlocksIt() throws Exception {
    KafkaTopic topic = new KafkaTopic(broker.bootstrapServers(), "blocked");
    topic.create(1);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers(), "transactional.id", "left-open"),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(topic.name(), new byte[1])).get();
      assertThatThrownBy(() -> CommittedMessages.readAll(topic, Duration.ofSeconds(1), _ -> {}))
          .hasMessageContaining("blocked-0 from offset 0 on by producer")
          .hasMessageContaining("left-open is Ongoing");
      producer.abortTransaction();
    }
    CommittedMessages.readAll(topic, Duration.ofSeconds(20), _ -> {});
  }

  private static void create(KafkaTopic topic) {
    try {
      topic.create(3);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
