// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A topic as any consumer with read_committed sees it, from its beginning to its end. */
final class CommittedBatches {
  private static final Duration POLL = Duration.ofMillis(200);

  /** Nothing more comes in so long a time. */
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private static final int FETCH_BYTES = 16 << 20;

  private CommittedBatches() {}

  /**
   * Hands over every committed message. Fails when an open transaction keeps it from the end: a
   * consumer would wait there too.
   */
  static void readAll(
      String bootstrapServers, String topic, Consumer<ConsumerRecord<byte[], byte[]>> messages) {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(bootstrapServers)) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(about -> new TopicPartition(topic, about.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = writtenEnds(bootstrapServers, partitions);
      long deadlineNs = System.nanoTime() + LIMIT.toNanos();
      while (!partitions.stream().allMatch(p -> consumer.position(p) >= ends.get(p))) {
        if (System.nanoTime() - deadlineNs > 0) {
          throw new AssertionError(
              "an open transaction blocks "
                  + topic
                  + ": written to "
                  + ends
                  + ", committed to "
                  + consumer.endOffsets(partitions));
        }
        ConsumerRecords<byte[], byte[]> polled = consumer.poll(POLL);
        polled.forEach(messages);
        if (!polled.isEmpty()) {
          deadlineNs = System.nanoTime() + LIMIT.toNanos();
        }
      }
    }
  }

  /** Ends of all that was written, committed or not. */
  private static Map<TopicPartition, Long> writtenEnds(
      String bootstrapServers, List<TopicPartition> partitions) {
    try (KafkaConsumer<byte[], byte[]> uncommitted =
        consumer(
            bootstrapServers, Map.of(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted"))) {
      return uncommitted.endOffsets(partitions);
    }
  }

  private static KafkaConsumer<byte[], byte[]> consumer(String bootstrapServers) {
    return consumer(
        bootstrapServers, Map.of(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed"));
  }

  private static KafkaConsumer<byte[], byte[]> consumer(
      String bootstrapServers, Map<String, Object> isolation) {
    Map<String, Object> settings = new HashMap<>(isolation);
    settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    settings.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, FETCH_BYTES);
    settings.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, FETCH_BYTES);
    return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }
}
