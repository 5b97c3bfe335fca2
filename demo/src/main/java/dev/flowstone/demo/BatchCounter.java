// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.format.PacketBatchDecoder;
import dev.flowstone.format.PacketBatchHeader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads back what arrived in Kafka, as any consumer of the topic would, and counts packets and
 * losses from the messages themselves: the far end of the way.
 */
final class BatchCounter implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration DRAIN_LIMIT = Duration.ofSeconds(30);
  private static final int FETCH_BYTES = 16 << 20;

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final PacketBatchDecoder decoder = new PacketBatchDecoder();
  private final Thread thread = Thread.ofPlatform().name("batch-counter").unstarted(this::run);
  private final List<TopicPartition> partitions;
  private final String bootstrapServers;

  private final LongAdder packets = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private final LongAdder lostBeforeTap = new LongAdder();
  private final LongAdder batches = new LongAdder();
  private volatile Map<TopicPartition, Long> writtenEnd = Map.of();
  private volatile boolean draining;

  BatchCounter(String bootstrapServers, String topic, int partitionCount) {
    this.bootstrapServers = bootstrapServers;
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
    lost.add(header.lossBefore().inRing());
    lostBeforeTap.add(header.lossBefore().beforeTap());
    batches.increment();
  }

  /**
   * The end is that of all that was written: a commit's last markers may still be on their way when
   * the job has ended, and what they commit cannot be read before.
   */
  private boolean isAtEnd() {
    return partitions.stream().allMatch(p -> consumer.position(p) >= writtenEnd.get(p));
  }

  private Map<TopicPartition, Long> readWrittenEnd() throws InterruptedException {
    Map<TopicPartition, OffsetSpec> latest =
        partitions.stream().collect(Collectors.toMap(p -> p, p -> OffsetSpec.latest()));
    try (Admin admin =
        Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers))) {
      return admin.listOffsets(latest).all().get().entrySet().stream()
          .collect(Collectors.toMap(Map.Entry::getKey, end -> end.getValue().offset()));
    } catch (ExecutionException e) {
      throw new IllegalStateException("cannot ask Kafka for the end of the topic", e.getCause());
    }
  }

  /** Reads to the end of what is written now, then stops. */
  void drain() throws InterruptedException {
    writtenEnd = readWrittenEnd();
    draining = true;
    thread.join(DRAIN_LIMIT);
  }

  long packets() {
    return packets.sum();
  }

  long lost() {
    return lost.sum();
  }

  /** Packets that the tap never saw, as the messages tell. */
  long lostBeforeTap() {
    return lostBeforeTap.sum();
  }

  long batches() {
    return batches.sum();
  }

  @Override
  public void close() {
    consumer.wakeup();
  }
}
