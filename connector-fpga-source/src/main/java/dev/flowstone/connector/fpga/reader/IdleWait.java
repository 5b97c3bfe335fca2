// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/**
 * When an idle reader looks again: each time in vain after twice as long, each time that there was
 * something to do after half as long, from 100 µs to 2 ms. So it soon looks about as often as there
 * is something: a look costs two changes of thread.
 */
final class IdleWait {
  private static final long SHORTEST_NS = TimeUnit.MICROSECONDS.toNanos(100);
  private static final long LONGEST_NS = TimeUnit.MILLISECONDS.toNanos(2);

  private final LongFunction<CompletableFuture<Void>> timer;

  private long delayNs = SHORTEST_NS;
  private CompletableFuture<Void> wake = CompletableFuture.completedFuture(null);

  /**
   * @param timer see {@link ReaderClock}
   */
  IdleWait(LongFunction<CompletableFuture<Void>> timer) {
    this.timer = timer;
  }

  /** There was something to do. */
  void busy() {
    delayNs = Math.max(delayNs / 2, SHORTEST_NS);
  }

  /** There was nothing to do. */
  void idle() {
    wake = timer.apply(delayNs);
    delayNs = Math.min(2 * delayNs, LONGEST_NS);
  }

  /** Something changed: look now. */
  void wakeUp() {
    delayNs = SHORTEST_NS;
    wake.complete(null);
  }

  long delayNs() {
    return delayNs;
  }

  CompletableFuture<Void> future() {
    return wake;
  }
}
