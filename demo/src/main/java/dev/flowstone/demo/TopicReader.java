// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.offheap.Reason;
import dev.flowstone.processes.Patience;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;

/** Reads back what arrived in Kafka, as any consumer of the topic would: the far end of the way. */
final class TopicReader implements AutoCloseable {
  private static final Duration DRAIN_PATIENCE = Duration.ofSeconds(30);
  private static final Duration LOOK_INTERVAL = Duration.ofMillis(200);

  private final CommittedMessages committed;
  private final Consumer<byte[]> reader;
  private final Duration drainPatience;
  private final Thread thread;
  private final LongAdder messages = new LongAdder();
  private volatile Map<TopicPartition, Long> writtenEnds = Map.of();
  private volatile boolean draining;
  private volatile Throwable death;

  /**
   * @param reader takes each message, in a thread of its own
   */
  TopicReader(KafkaTopic topic, Consumer<byte[]> reader) throws InterruptedException {
    this(topic, reader, DRAIN_PATIENCE);
  }

  /**
   * @param drainPatience how long nothing may come of what is still to be read
   */
  TopicReader(KafkaTopic topic, Consumer<byte[]> reader, Duration drainPatience)
      throws InterruptedException {
    this.reader = reader;
    this.drainPatience = drainPatience;
    committed = new CommittedMessages(topic);
    thread =
        Thread.ofPlatform().daemon().name("reader of topic " + topic.name()).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  private void run() {
    try (committed) {
      while (!draining || !committed.isAt(writtenEnds)) {
        committed
            .poll()
            .forEach(
                message -> {
                  reader.accept(message.value());
                  messages.increment();
                });
      }
    } catch (WakeupException closing) {
      // close() was called.
    } catch (RuntimeException | Error e) {
      death = e;
    }
  }

  /** Throws with the reason if it reads no more. */
  void requireAlive() throws IOException {
    if (death != null) {
      throw new IOException("the consumer died: " + Reason.of(death), death);
    }
  }

  /** Reads to the end of what is written now, then stops; throws if that does not come. */
  void drain() throws IOException, InterruptedException {
    writtenEnds = committed.writtenEnds();
    draining = true;
    Patience patience = new Patience(drainPatience);
    while (!thread.join(LOOK_INTERVAL)) {
      if (patience.isOver(messages())) {
        throw new IOException(
            "what is in Kafka cannot be read back: nothing came for "
                + drainPatience.toSeconds()
                + " s; a transaction is open still, or the broker does not answer");
      }
    }
    requireAlive();
  }

  /** Those that it has read whole. */
  long messages() {
    return messages.sum();
  }

  @Override
  public void close() {
    committed.wakeUp();
  }
}
