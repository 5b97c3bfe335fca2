// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The wait for something that takes as long as the machine makes it: it is over when nothing has
 * changed for a while, and not when a time has passed. One thread.
 */
public final class Patience {
  private final Duration limit;
  private final LongSupplier clockNs;
  private Object latest;
  private long changedNs;

  /**
   * @param limit how long nothing may change
   */
  public Patience(Duration limit) {
    this(limit, System::nanoTime);
  }

  Patience(Duration limit, LongSupplier clockNs) {
    this.limit = limit;
    this.clockNs = clockNs;
    changedNs = clockNs.getAsLong();
  }

  /**
   * Whether nothing has changed for too long.
   *
   * @param progress what changes while there is any
   */
  public boolean isOver(Object progress) {
    long nowNs = clockNs.getAsLong();
    if (!progress.equals(latest)) {
      latest = progress;
      changedNs = nowNs;
    }
    return nowNs - changedNs > limit.toNanos();
  }
}
