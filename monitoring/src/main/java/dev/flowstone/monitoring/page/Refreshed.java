// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import dev.flowstone.offheap.Reason;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Something that is looked at while somebody asks for it, and no more often than once in a while
 * however many ask. A look has a thread of its own: what hangs keeps nobody waiting, and who asks
 * then gets what was seen last, and since when there is no more. Any thread.
 */
final class Refreshed<T> {
  /** So long a look may take until whoever asks is given the one before. */
  private static final Duration WAIT = Duration.ofMillis(700);

  /** What takes longer does not answer. */
  private static final Duration SILENCE = Duration.ofSeconds(8);

  /**
   * What is known.
   *
   * @param value seen last; empty: nothing so far
   * @param problem why nothing newer is known; empty: it is new
   * @param problemSinceMs when that was noticed
   */
  record Answer<T>(Optional<T> value, Optional<String> problem, long problemSinceMs) {}

  private final Callable<T> look;
  private final Duration interval;
  private final String silence;
  private final Executor executor;
  private final LongSupplier nanoTime;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition done = lock.newCondition();

  private Optional<T> value = Optional.empty();
  private Optional<String> problem = Optional.empty();
  private long problemSinceMs;
  private boolean isLooking;
  private boolean hasBegun;
  private long beganNs;
  private long beganMs;

  /**
   * @param interval from the begin of one look to that of the next
   * @param silence says that a look does not come to an end
   */
  Refreshed(Duration interval, String silence, Callable<T> look) {
    this(interval, silence, look, Thread.ofVirtual().name("page-look")::start, System::nanoTime);
  }

  /**
   * @param executor runs each look
   * @param nanoTime clock of the interval and of the silence
   */
  Refreshed(
      Duration interval,
      String silence,
      Callable<T> look,
      Executor executor,
      LongSupplier nanoTime) {
    this.interval = interval;
    this.silence = silence;
    this.look = look;
    this.executor = executor;
    this.nanoTime = nanoTime;
  }

  /** Begins to look, if it is time, for whoever asks a moment later. */
  void prompt() {
    lock.lock();
    try {
      if (!isLooking && (!hasBegun || elapsedNs() >= interval.toNanos())) {
        begin();
      }
    } finally {
      lock.unlock();
    }
  }

  /** New, unless it takes too long. */
  Answer<T> latest() {
    lock.lock();
    try {
      prompt();
      long waitNs = WAIT.toNanos() - elapsedNs();
      while (isLooking && waitNs > 0) {
        waitNs = done.awaitNanos(waitNs);
      }
      noticeSilence();
      return new Answer<>(value, problem, problemSinceMs);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Answer<>(value, problem, problemSinceMs);
    } finally {
      lock.unlock();
    }
  }

  /** Returns when the first look has come to its end, or takes too long. */
  void awaitFirst() throws InterruptedException {
    lock.lock();
    try {
      prompt();
      while (isLooking && value.isEmpty() && problem.isEmpty()) {
        done.awaitNanos(SILENCE.toNanos());
        noticeSilence();
      }
    } finally {
      lock.unlock();
    }
  }

  private void begin() {
    isLooking = true;
    hasBegun = true;
    beganNs = nanoTime.getAsLong();
    beganMs = System.currentTimeMillis();
    executor.execute(this::look);
  }

  /** Returns the time since the latest look began. */
  private long elapsedNs() {
    return nanoTime.getAsLong() - beganNs;
  }

  private void look() {
    Optional<T> seen = Optional.empty();
    String failure = "";
    try {
      seen = Optional.of(look.call());
    } catch (Exception e) {
      failure = Reason.of(e);
    } catch (Error e) {
      // Such as an InternalError, where a file is cut short while its header is read: the next look
      // may do, and whoever serves this page must not end of it.
      failure = e.toString();
    } finally {
      end(seen, failure);
    }
  }

  private void end(Optional<T> seen, String failure) {
    lock.lock();
    try {
      isLooking = false;
      if (seen.isPresent()) {
        value = seen;
        problem = Optional.empty();
      } else {
        fail(failure);
      }
    } finally {
      done.signalAll();
      lock.unlock();
    }
  }

  private void fail(String why) {
    problemSinceMs = problem.isEmpty() ? beganMs : problemSinceMs;
    problem = Optional.of(why);
  }

  private void noticeSilence() {
    if (isLooking && elapsedNs() > SILENCE.toNanos() && problem.isEmpty()) {
      fail(silence);
    }
  }
}
