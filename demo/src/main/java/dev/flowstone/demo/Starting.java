// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Something that takes a while to start, while other things go on. Closing waits for the start and
 * closes what was started.
 */
final class Starting<T extends AutoCloseable> implements AutoCloseable {
  /** No start here takes as long, on no machine. */
  private static final Duration LIMIT = Duration.ofMinutes(10);

  private final String name;
  private final FutureTask<T> start;

  private Starting(String name, FutureTask<T> start) {
    this.name = name;
    this.start = start;
  }

  static <T extends AutoCloseable> Starting<T> of(String name, Callable<T> start) {
    FutureTask<T> task = new FutureTask<>(start);
    Thread.ofPlatform().daemon().name(name).start(task);
    return new Starting<>(name, task);
  }

  /** Waits for it; throws what went wrong. */
  T await() throws Exception {
    try {
      return start.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new IOException(name + " did not end within " + LIMIT.toMinutes() + " min", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : new CompletionException(e.getCause());
    }
  }

  /** What has come up; empty: not yet, or never. */
  Optional<T> up() {
    return start.state() == Future.State.SUCCESS
        ? Optional.of(start.resultNow())
        : Optional.empty();
  }

  @Override
  public void close() {
    try {
      start.get(LIMIT.toSeconds(), TimeUnit.SECONDS).close();
    } catch (ExecutionException neverCameUp) {
      // There is nothing to close; what went wrong is told where it was awaited.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      throw new IllegalStateException("what was started cannot be closed", e);
    }
  }
}
