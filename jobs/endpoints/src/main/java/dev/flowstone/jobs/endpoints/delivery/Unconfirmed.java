// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/**
 * What a sink has sent and its receiver, Kafka or QuestDB, has not confirmed, and for how long the
 * receiver has confirmed nothing while something waits.
 *
 * <p>Thread-safe.
 */
public final class Unconfirmed {
  /** Names of its metrics. */
  private static final String COUNT = "unconfirmed";

  private static final String SILENCE_MS = "unconfirmedMs";

  private final LongSupplier nanoTime;
  private long count;
  private long silentSinceNs;

  /** Some were dropped since the latest confirmation: the silence lasts. */
  private boolean hasGivenUp;

  /**
   * Nothing waits yet.
   *
   * @param nanoTime a clock that only grows
   */
  public Unconfirmed(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  public static Unconfirmed in(MetricGroup metrics) {
    Unconfirmed unconfirmed = new Unconfirmed(System::nanoTime);
    metrics.gauge(COUNT, (Gauge<Long>) unconfirmed::count);
    metrics.gauge(SILENCE_MS, (Gauge<Long>) unconfirmed::silenceMs);
    return unconfirmed;
  }

  public synchronized void add(long sent) {
    if (count == 0 && !hasGivenUp) {
      silentSinceNs = nanoTime.getAsLong();
    }
    count += sent;
  }

  public synchronized void confirm(long confirmed) {
    count -= confirmed;
    silentSinceNs = nanoTime.getAsLong();
    hasGivenUp = false;
  }

  /** These are no longer waited for, and nothing confirmed them. */
  public synchronized void giveUp(long dropped) {
    count -= dropped;
    hasGivenUp = true;
  }

  public synchronized long count() {
    return count;
  }

  public synchronized long silenceMs() {
    return count == 0 && !hasGivenUp
        ? 0
        : TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - silentSinceNs);
  }
}
