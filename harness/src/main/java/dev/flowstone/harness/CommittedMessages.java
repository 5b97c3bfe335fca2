// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A topic as any consumer with read_committed sees it. One thread at a time, but for {@link
 * #writtenEnds} and {@link #wakeUp}; its maker closes it.
 */
public final class CommittedMessages implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Several of the largest messages at once. */
  private static final int FETCH_BYTES = 16 << 20;

  private final KafkaTopic topic;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final List<TopicPartition> partitions;

  /**
   * Begins with the oldest message of each partition. A broker may not know of a topic yet that was
   * made a moment ago: it is asked again.
   */
  public CommittedMessages(KafkaTopic topic) throws InterruptedException {
    this(topic, PATIENCE);
  }

  /**
   * The same.
   *
   * @throws IllegalStateException if the broker does not know the topic for so long
   */
  public CommittedMessages(KafkaTopic topic, Duration patience) throws InterruptedException {
    this.topic = topic;
    consumer =
        new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                topic.bootstrapServers(),
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed",
                ConsumerConfig.FETCH_MAX_BYTES_CONFIG,
                FETCH_BYTES,
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
                FETCH_BYTES),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    try {
      partitions = awaitPartitions(patience);
    } catch (RuntimeException | InterruptedException e) {
      consumer.close();
      throw e;
    }
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
  }

  private List<TopicPartition> awaitPartitions(Duration patience) throws InterruptedException {
    long deadlineNs = System.nanoTime() + patience.toNanos();
    List<PartitionInfo> known = consumer.partitionsFor(topic.name());
    while (known.isEmpty()) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new IllegalStateException(
            "%s knows no topic %s, nor for the last %s: make it first"
                .formatted(topic.bootstrapServers(), topic.name(), patience));
      }
      Thread.sleep(POLL.toMillis());
      known = consumer.partitionsFor(topic.name());
    }
    return known.stream()
        .map(about -> new TopicPartition(topic.name(), about.partition()))
        .toList();
  }

  /** Hands over all that is written now; see {@link #readTo}. */
  public static void readAll(
      KafkaTopic topic, Duration patience, Consumer<ConsumerRecord<byte[], byte[]>> messages)
      throws InterruptedException {
    try (CommittedMessages committed = new CommittedMessages(topic)) {
      committed.readTo(committed.writtenEnds(), patience, messages);
    }
  }

  /** Goes on with these messages. */
  public void seek(Map<TopicPartition, Long> offsets) {
    offsets.forEach(consumer::seek);
  }

  /** The oldest messages that the broker still keeps. */
  public Map<TopicPartition, Long> keptBeginnings() {
    return consumer.beginningOffsets(partitions);
  }

  /** Up to where everything is committed now. */
  public Map<TopicPartition, Long> committedEnds() {
    return consumer.endOffsets(partitions);
  }

  /** Up to where anything is written now, committed or not. */
  public Map<TopicPartition, Long> writtenEnds() throws InterruptedException {
    return topic.writtenEnds(partitions);
  }

  /** What came since the last call; waits a while for it. */
  public ConsumerRecords<byte[], byte[]> poll() {
    return consumer.poll(POLL);
  }

  public boolean isAt(Map<TopicPartition, Long> ends) {
    return partitions.stream().allMatch(partition -> isAt(ends, partition));
  }

  private boolean isAt(Map<TopicPartition, Long> ends, TopicPartition partition) {
    return consumer.position(partition) >= ends.get(partition);
  }

  /**
   * Hands over every message before those ends. Fails when nothing more comes for so long a time:
   * any consumer would wait there, too.
   */
  public void readTo(
      Map<TopicPartition, Long> ends,
      Duration patience,
      Consumer<ConsumerRecord<byte[], byte[]>> messages) {
    long deadlineNs = System.nanoTime() + patience.toNanos();
    while (!isAt(ends)) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new IllegalStateException(
            "nothing more came of %s for %s: to be read to %s, committed to %s; open transactions, which block it: %s"
                .formatted(topic.name(), patience, ends, committedEnds(), openTransactions()));
      }
      pauseAt(ends);
      ConsumerRecords<byte[], byte[]> polled = consumer.poll(POLL);
      for (ConsumerRecord<byte[], byte[]> message : polled) {
        if (message.offset() < ends.get(partitionOf(message))) {
          messages.accept(message);
        }
      }
      if (!polled.isEmpty()) {
        deadlineNs = System.nanoTime() + patience.toNanos();
      }
    }
    consumer.resume(partitions);
  }

  /** Of the topic, for people. */
  public String openTransactions() {
    try {
      List<String> open = topic.openTransactions(partitions);
      return open.isEmpty() ? "none" : String.join("; ", open);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "nobody had the time to ask";
    } catch (IllegalStateException e) {
      return e.getMessage();
    }
  }

  /** A partition that is read is not fetched any further while others are. */
  private void pauseAt(Map<TopicPartition, Long> ends) {
    consumer.pause(partitions.stream().filter(partition -> isAt(ends, partition)).toList());
  }

  private static TopicPartition partitionOf(ConsumerRecord<byte[], byte[]> message) {
    return new TopicPartition(message.topic(), message.partition());
  }

  /** Has a thread that polls throw Kafka's WakeupException. */
  public void wakeUp() {
    consumer.wakeup();
  }

  @Override
  public void close() {
    consumer.close();
  }
}
