// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.run;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What brings a run to its end from outside: a signal, which waits until the run has ended, the
 * time that it was given, the end of standard input. Whoever made it closes it when the run has
 * ended.
 */
public final class RunEnd implements AutoCloseable {
  /** What has caught nothing more has no more to wait for. */
  private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

  private static final long LOOK_MS = 100;

  private final RunOptions options;
  private final Runnable stop;
  private final Duration limit;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicBoolean hasLimit = new AtomicBoolean();

  private RunEnd(RunOptions options, Runnable stop, Duration limit) {
    this.options = options;
    this.stop = stop;
    this.limit = limit;
  }

  /** From now on a signal stops the run. */
  public static RunEnd listen(RunOptions options, Runnable stop) {
    return listen(options, stop, STOP_LIMIT);
  }

  /** The same for a run that may need so long to come to its end. */
  public static RunEnd listen(RunOptions options, Runnable stop, Duration limit) {
    RunEnd end = new RunEnd(options, stop, limit);
    Runtime.getRuntime().addShutdownHook(new Thread(end::stopAndAwait, "tap-stop"));
    return end;
  }

  private void stopAndAwait() {
    stop.run();
    try {
      if (!ended.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        System.err.println(
            "the tap did not end within " + limit.toSeconds() + " s; its rings stay open");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Counts the time that the run was given from now on; asked again, it counts on. */
  public void stopAfterLimit() {
    if (hasLimit.getAndSet(true)) {
      return;
    }
    options.seconds.ifPresent(
        seconds -> Thread.ofPlatform().name("tap-limit").daemon().start(() -> stopAfter(seconds)));
  }

  private void stopAfter(double seconds) {
    long endNs = System.nanoTime() + (long) (seconds * 1e9);
    for (long leftNs = endNs - System.nanoTime(); leftNs > 0; leftNs = endNs - System.nanoTime()) {
      LockSupport.parkNanos(leftNs);
    }
    stop.run();
  }

  /** Looks on from now on, and stops the run when there is nothing more to come. */
  public void stopWhen(BooleanSupplier isOver) {
    Thread.ofPlatform().name("tap-over").daemon().start(() -> stopOnce(isOver));
  }

  private void stopOnce(BooleanSupplier isOver) {
    try {
      while (!ended.await(LOOK_MS, TimeUnit.MILLISECONDS)) {
        if (isOver.getAsBoolean()) {
          stop.run();
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Listens to standard input, and answers it with the counters, if somebody asked for that. */
  public void answer(Supplier<String> json) {
    if (options.stopOnStdinEnd || options.countersOnRequest) {
      Thread.ofPlatform().name("tap-stdin").daemon().start(() -> answerAll(json));
    }
  }

  private void answerAll(Supplier<String> json) {
    try {
      while (System.in.read() >= 0) {
        if (options.countersOnRequest) {
          System.out.print(json.get());
          System.out.flush();
        }
      }
    } catch (IOException closed) {
      // As good as its end.
    } finally {
      stop.run();
    }
  }

  @Override
  public void close() {
    ended.countDown();
  }
}
