// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness.failure;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/**
 * Injects failures into one job that runs in this JVM and waits until the job has recovered from
 * each. A failure is thrown only after a completed checkpoint that was started after the call and
 * follows a record, so that the job has state to restore. The test fails if the checkpoint, the
 * failure or the recovery does not happen.
 *
 * <p>Call {@link #allowRestarts} on the configuration of the job and {@link #in} while the job is
 * built. One test thread calls {@link #failOnce}. Any thread may call the other methods.
 */
public final class FailureInjection implements AutoCloseable {
  private static final Duration DEFAULT_LIMIT = Duration.ofSeconds(60);
  private static final long POLL_INTERVAL_MS = 20;

  private static final Map<Integer, FailureInjection> OPEN = new ConcurrentHashMap<>();
  private static final AtomicInteger NEXT_ID = new AtomicInteger();

  /** The place in the job that throws the failure. */
  public enum Place {
    /** Immediately after a record has been emitted: recovery must replay that record. */
    PROCESSING,
    SNAPSHOT,
    CHECKPOINT_COMPLETE
  }

  /** Produces input for the job while the test waits. */
  @FunctionalInterface
  public interface Traffic {
    void write() throws Exception;
  }

  private final int id = NEXT_ID.getAndIncrement();
  private final Duration limit;

  // Written under the lock of this object. Tasks read the volatile fields without the lock.
  private volatile Place armed;
  private volatile boolean hasCheckpoint;
  private volatile int call;
  private volatile int recoveries;
  private volatile boolean isClosed;
  private volatile int failures;
  private int failedSubtask;
  private boolean restartedWithoutState;

  public FailureInjection() {
    this(DEFAULT_LIMIT);
  }

  FailureInjection(Duration limit) {
    this.limit = limit;
    OPEN.put(id, this);
  }

  static FailureInjection of(int id) {
    FailureInjection injection = OPEN.get(id);
    if (injection == null) {
      throw new IllegalStateException("the failure injection of this job is closed");
    }
    return injection;
  }

  /** Allows any number of restarts: Flink itself may fail on a busy machine as well. */
  public static void allowRestarts(Configuration configuration, Duration delay) {
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    configuration.set(
        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, Integer.MAX_VALUE);
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, delay);
  }

  /** Returns the same stream with the operator that throws the failures. */
  public <T> SingleOutputStreamOperator<T> in(DataStream<T> stream) {
    return stream
        .process(new FailurePoint<T>(id))
        .returns(stream.getType())
        .name("failure injection")
        .uid("failure-injection");
  }

  /** Fails the job once and returns when the failed subtask has restored its state. */
  public void failOnce(Place place) throws Exception {
    failOnce(place, () -> {});
  }

  /** Fails the job once, and calls {@code traffic} repeatedly until the job has recovered. */
  public void failOnce(Place place, Traffic traffic) throws Exception {
    int expected = arm(place);
    long startNs = System.nanoTime();
    while (recoveries < expected) {
      if (System.nanoTime() - startNs > limit.toNanos()) {
        throw new AssertionError("%s within %,d ms".formatted(missing(), limit.toMillis()));
      }
      traffic.write();
      Thread.sleep(POLL_INTERVAL_MS);
    }
    requireRestoredState();
  }

  private synchronized int arm(Place place) {
    armed = place;
    call++;
    return failures + 1;
  }

  private synchronized String missing() {
    if (armed == null) {
      return "the job did not recover from injected failure " + failures;
    }
    return hasCheckpoint
        ? "no failure was injected in " + armed
        : "no checkpoint was completed after a record";
  }

  private synchronized void requireRestoredState() {
    if (restartedWithoutState) {
      throw new AssertionError("the job restarted without a checkpoint");
    }
  }

  /**
   * Returns whether the checkpoint that precedes this failure has been completed. A closed
   * injection returns true, so that input that waits for the failure ends with the test.
   *
   * @param failure number of the failure, from 1
   */
  public boolean isDue(int failure) {
    int former = failures;
    return isClosed || former >= failure || (former == failure - 1 && hasCheckpoint);
  }

  /** Returns the number of the latest call of {@link #failOnce}, 0 before the first. */
  int call() {
    return call;
  }

  /** Reports a completed checkpoint that was started after that call. */
  synchronized void completeCheckpoint(int startedAfterCall) {
    hasCheckpoint |= armed != null && startedAfterCall == call;
  }

  /** Throws if the next failure is due in this place. */
  void pass(Place place, int subtask) {
    if (armed == place && hasCheckpoint) {
      fail(place, subtask);
    }
  }

  private synchronized void fail(Place place, int subtask) {
    if (armed == place) {
      armed = null;
      hasCheckpoint = false;
      failedSubtask = subtask;
      failures++;
      throw new InjectedFailure(failures, place);
    }
  }

  /** Reports the start of a subtask, with restored state or without. */
  synchronized void start(int subtask, boolean isRestored) {
    if (failures > recoveries && subtask == failedSubtask) {
      restartedWithoutState |= !isRestored;
      recoveries++;
    }
  }

  /** Ends the injection. A task of the job that restarts later fails. */
  @Override
  public void close() {
    isClosed = true;
    OPEN.remove(id);
  }

  private static final class InjectedFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private InjectedFailure(int number, Place place) {
      super("injected failure %d in %s".formatted(number, place));
    }
  }
}
