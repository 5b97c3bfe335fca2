// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import dev.flowstone.jobs.inspect.count.InspectException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Sees to it that nobody waits for a Flink that hangs: one whose memory ran out may never tell of a
 * job again. Whoever starts it closes it.
 */
final class FlinkWatch implements AutoCloseable {
  private static final Duration LOOK_INTERVAL = Duration.ofSeconds(1);

  /** Whether Flink answers; takes as long as it is given to. */
  @FunctionalInterface
  interface Question {
    boolean isAnswered() throws InterruptedException;
  }

  private final Question question;
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private final Thread thread =
      Thread.ofPlatform().daemon().name("flink-watch").unstarted(this::run);

  private FlinkWatch(Question question) {
    this.question = question;
  }

  static FlinkWatch start(Question question) {
    FlinkWatch watch = new FlinkWatch(question);
    watch.thread.start();
    return watch;
  }

  private void run() {
    try {
      while (question.isAnswered()) {
        Thread.sleep(LOOK_INTERVAL);
      }
      end.completeExceptionally(InspectException.noAnswer());
    } catch (InterruptedException closed) {
      // Nobody waits any more.
    }
  }

  /** The same, but it fails when Flink does not answer any more. */
  <T> CompletableFuture<T> over(CompletableFuture<T> answer) {
    return answer.applyToEither(end.thenApply(never -> null), found -> found);
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
