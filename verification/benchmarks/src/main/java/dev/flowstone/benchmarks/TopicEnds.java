// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.format.PacketBatchDecoder;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Asks the broker what it has acknowledged of a topic: end offsets at an instant, and afterwards
 * the packets that the messages between two instants hold by their own headers. One thread.
 */
final class TopicEnds implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final PacketBatchDecoder decoder = new PacketBatchDecoder();
  private final CommittedMessages messages;

  /** What lies between two instants. */
  record Content(long messages, long packets, long bytes) {
    static final Content NONE = new Content(0, 0, 0);

    Content plus(Content other) {
      return new Content(messages + other.messages, packets + other.packets, bytes + other.bytes);
    }
  }

  TopicEnds(KafkaTopic topic) {
    messages = new CommittedMessages(topic);
  }

  Map<TopicPartition, Long> now() {
    return messages.committedEnds();
  }

  static long messagesBetween(Map<TopicPartition, Long> first, Map<TopicPartition, Long> end) {
    return end.entrySet().stream().mapToLong(e -> e.getValue() - first.get(e.getKey())).sum();
  }

  /** Reads every message between two instants and adds up its header's count. */
  Content recount(Map<TopicPartition, Long> first, Map<TopicPartition, Long> end) {
    requireKept(first);
    messages.seek(first);
    Sum sum = new Sum();
    messages.readTo(end, PATIENCE, sum::add);
    return sum.content;
  }

  private final class Sum {
    private Content content = Content.NONE;

    void add(ConsumerRecord<byte[], byte[]> message) {
      content =
          content.plus(
              new Content(1, decoder.readHeader(message.value()).count(), message.value().length));
    }
  }

  private void requireKept(Map<TopicPartition, Long> first) {
    Map<TopicPartition, Long> kept = messages.keptBeginnings();
    if (first.entrySet().stream().anyMatch(from -> kept.get(from.getKey()) > from.getValue())) {
      throw new IllegalStateException(
          "the broker's retention took messages before they were recounted: kept from "
              + kept
              + ", measured from "
              + first);
    }
  }

  @Override
  public void close() {
    messages.close();
  }
}
