// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.format.PacketBatchDecoder;
import dev.flowstone.format.PacketBatchHeader;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;

/**
 * Reads back what arrived in Kafka, as any consumer of the topic would, and counts packets and
 * losses from the messages themselves: the far end of the way.
 */
final class BatchCounter implements AutoCloseable {
  private static final Duration DRAIN_LIMIT = Duration.ofSeconds(30);

  private final CommittedMessages messages;
  private final PacketBatchDecoder decoder = new PacketBatchDecoder();
  private final Thread thread = Thread.ofPlatform().name("batch-counter").unstarted(this::run);

  private final LongAdder packets = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private final LongAdder lostBeforeTap = new LongAdder();
  private final LongAdder batches = new LongAdder();
  private volatile Map<TopicPartition, Long> writtenEnds = Map.of();
  private volatile boolean draining;

  BatchCounter(KafkaTopic topic) {
    messages = new CommittedMessages(topic);
  }

  void start() {
    thread.start();
  }

  private void run() {
    try (messages) {
      while (!draining || !messages.isAt(writtenEnds)) {
        messages.poll().forEach(this::count);
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

  /** Reads to the end of what is written now, then stops. */
  void drain() throws InterruptedException {
    writtenEnds = messages.writtenEnds();
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
    messages.wakeUp();
  }
}
