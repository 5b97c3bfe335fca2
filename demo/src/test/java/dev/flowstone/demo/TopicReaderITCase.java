// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.KafkaTopic;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TopicReaderITCase {
  @TempDir private Path folder;

  /** As when the broker stands still: counts that are not whole are no balance. */
  @Test
  void shouldFailWhenWhatIsWrittenCannotBeReadBack() throws Exception {
    try (BrokerProcess broker = BrokerProcess.start(BrokerOptions.in(folder))) {
      KafkaTopic topic = new KafkaTopic(broker.bootstrapServers(), "packets");
      topic.create(1);
      try (var producer = producer(broker);
          TopicReader reader =
              new TopicReader(topic, new BatchCounter()::take, Duration.ofSeconds(1))) {
        producer.initTransactions();
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(topic.name(), new byte[1])).get();
        reader.start();
        assertThatThrownBy(reader::drain)
            .isInstanceOf(IOException.class)
            .hasMessageContaining("nothing came for 1 s");
        producer.abortTransaction();
      }
    }
  }

  /** What it does not know to read ends it, and nobody else would ever say why. */
  @Test
  void shouldSayWhatItDiedOf() throws Exception {
    try (BrokerProcess broker = BrokerProcess.start(BrokerOptions.in(folder))) {
      KafkaTopic topic = new KafkaTopic(broker.bootstrapServers(), "packets");
      topic.create(1);
      try (var producer = producer(broker);
          TopicReader reader = new TopicReader(topic, new BatchCounter()::take)) {
        producer.initTransactions();
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(topic.name(), new byte[1])).get();
        producer.commitTransaction();
        reader.start();
        assertThatThrownBy(reader::drain)
            .isInstanceOf(IOException.class)
            .hasMessageStartingWith("the consumer died: ");
        assertThatThrownBy(reader::requireAlive).hasMessageStartingWith("the consumer died: ");
      }
    }
  }

  private static KafkaProducer<byte[], byte[]> producer(BrokerProcess broker) {
    return new KafkaProducer<>(
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            broker.bootstrapServers(),
            ProducerConfig.TRANSACTIONAL_ID_CONFIG,
            "never-done"),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }
}
