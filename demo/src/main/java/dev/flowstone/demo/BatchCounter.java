// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.format.PacketBatchDecoder;
import dev.flowstone.format.PacketBatchHeader;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.offheap.Reason;
import dev.flowstone.processes.Patience;
import java.io.IOException;
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
  private static final Duration DRAIN_PATIENCE = Duration.ofSeconds(30);
  private static final Duration LOOK_INTERVAL = Duration.ofMillis(200);

  private final CommittedMessages messages;
  private final Duration drainPatience;
  private final PacketBatchDecoder decoder = new PacketBatchDecoder();
  private final Thread thread =
      Thread.ofPlatform().daemon().name("batch-counter").unstarted(this::run);

  private final LongAdder packets = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private final LongAdder lostBeforeTap = new LongAdder();
  private final LongAdder batches = new LongAdder();
  private volatile Map<TopicPartition, Long> writtenEnds = Map.of();
  private volatile boolean draining;
  private volatile Throwable death;

  BatchCounter(KafkaTopic topic) {
    this(topic, DRAIN_PATIENCE);
  }

  /**
   * @param drainPatience how long nothing may come of what is still to be read
   */
  BatchCounter(KafkaTopic topic, Duration drainPatience) {
    this.drainPatience = drainPatience;
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
    } catch (RuntimeException | Error e) {
      death = e;
    }
  }

  private void count(ConsumerRecord<byte[], byte[]> message) {
    PacketBatchHeader header = decoder.readHeader(message.value());
    packets.add(header.count());
    lost.add(header.lossBefore().inRing());
    lostBeforeTap.add(header.lossBefore().beforeTap());
    batches.increment();
  }

  /** Throws with the reason if it reads no more. */
  void requireAlive() throws IOException {
    if (death != null) {
      throw new IOException("the consumer died: " + Reason.of(death), death);
    }
  }

  /** Reads to the end of what is written now, then stops; throws if that does not come. */
  void drain() throws IOException, InterruptedException {
    writtenEnds = messages.writtenEnds();
    draining = true;
    Patience patience = new Patience(drainPatience);
    while (!thread.join(LOOK_INTERVAL)) {
      if (patience.isOver(batches())) {
        throw new IOException(
            "what is in Kafka cannot be read back: nothing came for "
                + drainPatience.toSeconds()
                + " s; a transaction is open still, or the broker does not answer");
      }
    }
    requireAlive();
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
