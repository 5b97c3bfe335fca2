// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Something that takes a while to start, while other things go on. Closing waits for the start and
 * closes what was started.
 */
final class Starting<T extends AutoCloseable> implements AutoCloseable {
  private final FutureTask<T> start;

  private Starting(FutureTask<T> start) {
    this.start = start;
  }

  static <T extends AutoCloseable> Starting<T> of(String name, Callable<T> start) {
    FutureTask<T> task = new FutureTask<>(start);
    Thread.ofPlatform().name(name).start(task);
    return new Starting<>(task);
  }

  /** Waits for it; throws what went wrong. */
  T await() throws Exception {
    try {
      return start.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : new CompletionException(e.getCause());
    }
  }

  @Override
  public void close() {
    try {
      start.get().close();
    } catch (ExecutionException neverCameUp) {
      // There is nothing to close; what went wrong is told where it was awaited.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      throw new IllegalStateException("what was started cannot be closed", e);
    }
  }
}
