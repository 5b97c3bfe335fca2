// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.format.PacketBatchDecoder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Asks the broker what it has acknowledged of a topic: end offsets at an instant, and afterwards
 * the packets that the messages between two instants hold by their own headers. One thread.
 */
final class TopicEnds implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final int FETCH_BYTES = 16 << 20;
  private static final int MOST_EMPTY_POLLS = 50;

  private final PacketBatchDecoder decoder = new PacketBatchDecoder();
  private final List<TopicPartition> partitions;
  private final KafkaConsumer<byte[], byte[]> consumer;

  /** What lies between two instants. */
  record Content(long messages, long packets, long bytes) {}

  TopicEnds(String bootstrapServers, String topic) {
    partitions =
        IntStream.range(0, FilledRings.RING_COUNT)
            .mapToObj(partition -> new TopicPartition(topic, partition))
            .toList();
    consumer =
        new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed",
                ConsumerConfig.FETCH_MAX_BYTES_CONFIG, FETCH_BYTES,
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, FETCH_BYTES),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    consumer.assign(partitions);
  }

  Map<TopicPartition, Long> now() {
    return consumer.endOffsets(partitions);
  }

  static long messagesBetween(Map<TopicPartition, Long> first, Map<TopicPartition, Long> end) {
    return end.entrySet().stream().mapToLong(e -> e.getValue() - first.get(e.getKey())).sum();
  }

  /** Reads every message between two instants and adds up its header's count. */
  Content recount(Map<TopicPartition, Long> first, Map<TopicPartition, Long> end) {
    requireKept(first);
    consumer.assign(partitions);
    first.forEach(consumer::seek);
    long messages = 0;
    long packets = 0;
    long bytes = 0;
    int emptyPolls = 0;
    while (!partitions.stream().allMatch(p -> consumer.position(p) >= end.get(p))) {
      emptyPolls++;
      for (ConsumerRecord<byte[], byte[]> message : consumer.poll(POLL)) {
        emptyPolls = 0;
        if (message.offset() < end.get(partitionOf(message))) {
          messages++;
          packets += decoder.readHeader(message.value()).count();
          bytes += message.value().length;
        }
      }
      if (emptyPolls == MOST_EMPTY_POLLS) {
        throw new IllegalStateException("acknowledged messages cannot be read back: " + end);
      }
      pauseWhatIsRead(end);
    }
    return new Content(messages, packets, bytes);
  }

  private void pauseWhatIsRead(Map<TopicPartition, Long> end) {
    consumer.resume(partitions);
    consumer.pause(partitions.stream().filter(p -> consumer.position(p) >= end.get(p)).toList());
  }

  private static TopicPartition partitionOf(ConsumerRecord<byte[], byte[]> message) {
    return new TopicPartition(message.topic(), message.partition());
  }

  private void requireKept(Map<TopicPartition, Long> first) {
    Map<TopicPartition, Long> kept = consumer.beginningOffsets(partitions);
    if (partitions.stream().anyMatch(p -> kept.get(p) > first.get(p))) {
      throw new IllegalStateException(
          "the broker's retention took messages before they were recounted: kept from "
              + kept
              + ", measured from "
              + first);
    }
  }

  @Override
  public void close() {
    consumer.close();
  }
}
