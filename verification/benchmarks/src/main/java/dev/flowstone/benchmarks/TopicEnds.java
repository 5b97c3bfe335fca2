// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import java.time.Duration;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Asks the broker what a consumer with read_committed may read of a topic: how far at an instant,
 * and afterwards the packets that the messages between two instants hold. One thread.
 */
final class TopicEnds implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration POLL = Duration.ofMillis(5);

  /** The subtasks' transactions of one checkpoint are committed within that time. */
  private static final long COMMITTED_TOGETHER_NS = Duration.ofMillis(100).toNanos();

  private static final long COMMIT_LIMIT_NS = Duration.ofSeconds(20).toNanos();

  private final ToLongFunction<byte[]> packetsOf;
  private final boolean inTransactions;
  private final CommittedMessages messages;

  /** How far a topic was, and when. */
  record Edge(long timeNs, Map<TopicPartition, Long> ends) {
    double secondsSince(Edge first) {
      return (timeNs - first.timeNs) / 1e9;
    }
  }

  /** What lies between two instants. */
  record Content(long messages, long packets, long bytes) {
    static final Content NONE = new Content(0, 0, 0);

    Content plus(Content other) {
      return new Content(messages + other.messages, packets + other.packets, bytes + other.bytes);
    }
  }

  TopicEnds(KafkaTopic topic, KafkaLoad load) throws InterruptedException {
    packetsOf = load.packetsOf();
    inTransactions = load.isInTransactions();
    messages = new CommittedMessages(topic);
  }

  private Edge now() {
    Map<TopicPartition, Long> ends = messages.committedEnds();
    return new Edge(System.nanoTime(), ends);
  }

  void awaitFirst() {
    Windows.awaitGrowth(() -> now().ends().values().stream().mapToLong(Long::longValue).sum());
  }

  /**
   * Transactions become visible a second's work at a time, so an edge is where they do: a window
   * between any two instants would have one checkpoint more or less in it.
   */
  Edge edge() {
    return inTransactions ? nextCommit() : now();
  }

  private Edge nextCommit() {
    Edge before = now();
    Edge latest = before;
    long endNs = before.timeNs + COMMIT_LIMIT_NS;
    while (latest.ends.equals(before.ends)
        || System.nanoTime() - latest.timeNs < COMMITTED_TOGETHER_NS) {
      if (System.nanoTime() - endNs > 0) {
        throw new IllegalStateException("no checkpoint was committed within 20 s");
      }
      Windows.await(POLL);
      Edge now = now();
      latest = now.ends.equals(latest.ends) ? latest : now;
    }
    return latest;
  }

  /** Reads every message between two instants and adds up its packets. */
  Content recount(Map<TopicPartition, Long> first, Map<TopicPartition, Long> end) {
    requireKept(first);
    messages.seek(first);
    Sum sum = new Sum();
    messages.readTo(end, PATIENCE, sum::add);
    return sum.content();
  }

  private final class Sum {
    private long count;
    private long packets;
    private long bytes;

    void add(ConsumerRecord<byte[], byte[]> message) {
      count++;
      packets += packetsOf.applyAsLong(message.value());
      bytes += message.value().length;
    }

    Content content() {
      return new Content(count, packets, bytes);
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
