// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.flowstone.jobs.endpoints.KafkaOptions;
import dev.flowstone.jobs.endpoints.KafkaSettings;
import dev.flowstone.operators.ruled.RulesWatch;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A Kafka topic of one partition, each message a whole rules file: the newest counts.
 *
 * @param consumer what Kafka's client is told
 */
record RulesTopicWatch(String topic, Properties consumer) implements RulesWatch {
  /** The newest message may be followed by markers of transactions. */
  private static final long LOOK_BACK = 100;

  private static final Duration POLL = Duration.ofMillis(100);

  static RulesTopicWatch of(String topic, KafkaOptions options) {
    Properties consumer = KafkaSettings.admin(options);
    consumer.setProperty(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    consumer.setProperty(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    consumer.setProperty(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
    return new RulesTopicWatch(topic, consumer);
  }

  @Override
  public Looking begin() throws IOException {
    KafkaConsumer<byte[], byte[]> client =
        new KafkaConsumer<>(consumer, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    try {
      TopicPartition partition = onlyPartition(client);
      client.assign(List.of(partition));
      long end = client.endOffsets(List.of(partition)).get(partition);
      long beginning = client.beginningOffsets(List.of(partition)).get(partition);
      client.seek(partition, Math.max(beginning, end - LOOK_BACK));
      return new LookingAtTopic(client);
    } catch (IOException | KafkaException e) {
      client.close();
      throw e;
    }
  }

  private TopicPartition onlyPartition(KafkaConsumer<?, ?> client) throws IOException {
    List<PartitionInfo> partitions =
        client.listTopics().entrySet().stream()
            .filter(each -> each.getKey().equals(topic))
            .map(Map.Entry::getValue)
            .findFirst()
            .orElseThrow(() -> new IOException("there is no topic " + topic));
    if (partitions.size() != 1) {
      throw new IOException(
          "a topic of rules has one partition, in which the newest message counts: "
              + topic
              + " has "
              + partitions.size());
    }
    return new TopicPartition(topic, partitions.getFirst().partition());
  }

  private record LookingAtTopic(KafkaConsumer<byte[], byte[]> client) implements Looking {
    @Override
    public Optional<WrittenRules> look() {
      Optional<WrittenRules> newest = Optional.empty();
      ConsumerRecords<byte[], byte[]> polled = client.poll(POLL);
      while (!polled.isEmpty()) {
        for (ConsumerRecord<byte[], byte[]> message : polled) {
          if (message.value() != null) {
            newest = Optional.of(written(message));
          }
        }
        polled = client.poll(POLL);
      }
      return newest;
    }

    private static WrittenRules written(ConsumerRecord<byte[], byte[]> message) {
      return new WrittenRules(
          "topic " + message.topic() + ", offset " + message.offset(),
          new String(message.value(), UTF_8));
    }

    @Override
    public void close() {
      client.close();
    }
  }
}
