// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends what may leave, in a thread of its own: a store that is away holds up no checkpoint, and so
 * none of the job's other sinks. Tries again with pauses that double.
 */
final class OutboxSender {
  private static final Logger LOG = LoggerFactory.getLogger(OutboxSender.class);
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  private final Outbox outbox;
  private final ChunkStore store;
  private final Thread thread;
  private volatile boolean stopping;
  private long failures;
  private final Map<String, Long> failuresOfTable = new HashMap<>();

  OutboxSender(String name, Outbox outbox, ChunkStore store) {
    this.outbox = outbox;
    this.store = store;
    thread = Thread.ofPlatform().daemon().name(name).unstarted(this::sendAll);
  }

  void start() {
    thread.start();
  }

  private void sendAll() {
    try {
      while (!stopping) {
        send(outbox.take());
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      if (!stopping) {
        LOG.error("No results are sent to QuestDB any more", e);
      }
      outbox.end(e);
    }
  }

  private void send(LineChunk chunk) throws InterruptedException {
    try {
      outbox.sent(store.write(chunk));
      if (failures > 0) {
        LOG.info("QuestDB takes results again, at attempt {}", failures + 1);
        failures = 0;
      }
      if (failuresOfTable.remove(chunk.table()) != null) {
        LOG.info("QuestDB takes results of kind {} again", chunk.table());
      }
    } catch (TableAwayException e) {
      outbox.tableFailed(e.getMessage());
      long before = failuresOfTable.merge(chunk.table(), 1L, Long::sum) - 1;
      if (before == 0) {
        LOG.warn(
            "Results of kind {} wait, others may go first: {}. They are part of each checkpoint and"
                + " sent when QuestDB can write to that table, or left out and counted when"
                + " --questdb-buffer-bytes are full.",
            chunk.table(),
            e.getMessage());
      }
      Thread.sleep(pause(before));
    } catch (StoreAwayException e) {
      outbox.failed(e.getMessage());
      if (failures == 0) {
        LOG.warn(
            "Results wait, {} so far: {}. They are part of each checkpoint and sent when it"
                + " answers, or left out and counted when --questdb-buffer-bytes are full.",
            outbox.waiting(),
            e.getMessage());
      }
      Thread.sleep(pause(failures++));
    }
  }

  static Duration pause(long failures) {
    Duration doubled = SHORTEST_PAUSE.multipliedBy(1L << Math.min(failures, 10));
    return doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
  }

  /** Returns when its thread is gone; what it did not send stays where it is. */
  void stop() throws InterruptedException {
    stopping = true;
    thread.interrupt();
    store.close();
    thread.join();
  }
}
