// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.format.PacketBatchDecoder;
import dev.flowstone.format.PacketBatchHeader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads back what arrived in Kafka, as any consumer of the topic would, and counts packets and losses
 * from the messages themselves: the far end of the way.
 */
final class BatchCounter implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final int FETCH_BYTES = 16 << 20;

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final PacketBatchDecoder decoder = new PacketBatchDecoder();
  private final Thread thread = Thread.ofPlatform().name("batch-counter").unstarted(this::run);
  private final List<TopicPartition> partitions;

  private final LongAdder packets = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private final LongAdder batches = new LongAdder();
  private volatile boolean draining;

  BatchCounter(String bootstrapServers, String topic, int partitionCount) {
    consumer =
        new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed",
                ConsumerConfig.FETCH_MAX_BYTES_CONFIG, FETCH_BYTES,
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, FETCH_BYTES),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    partitions =
        IntStream.range(0, partitionCount).mapToObj(p -> new TopicPartition(topic, p)).toList();
  }

  void start() {
    thread.start();
  }

  private void run() {
    try (consumer) {
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      while (!draining || !isAtEnd()) {
        consumer.poll(POLL).forEach(this::count);
      }
    } catch (WakeupException closing) {
      // close() was called.
    }
  }

  private void count(ConsumerRecord<byte[], byte[]> message) {
    PacketBatchHeader header = decoder.readHeader(message.value());
    packets.add(header.count());
    lost.add(header.lostBefore());
    batches.increment();
  }

  private boolean isAtEnd() {
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
    return partitions.stream().allMatch(p -> consumer.position(p) >= ends.get(p));
  }

  /** Reads to the end of what is committed now, then stops. */
  void drain() throws InterruptedException {
    draining = true;
    thread.join();
  }

  long packets() {
    return packets.sum();
  }

  long lost() {
    return lost.sum();
  }

  long batches() {
    return batches.sum();
  }

  @Override
  public void close() {
    consumer.wakeup();
  }
}
