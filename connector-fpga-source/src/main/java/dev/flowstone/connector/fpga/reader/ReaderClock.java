// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/**
 * How time passes for a reader. Tests step it.
 *
 * @param nowNs advances as {@link System#nanoTime} does
 * @param timer returns a future that completes after so many nanoseconds
 * @param heartbeatNs between two heartbeats to the taps
 */
record ReaderClock(
    LongSupplier nowNs, LongFunction<CompletableFuture<Void>> timer, long heartbeatNs) {

  /** The host's clock, and the JDK's one timer thread: no thread is left behind in a cluster. */
  static final ReaderClock HOST =
      new ReaderClock(
          System::nanoTime,
          delayNs ->
              new CompletableFuture<Void>().completeOnTimeout(null, delayNs, TimeUnit.NANOSECONDS),
          TimeUnit.SECONDS.toNanos(1));
}
