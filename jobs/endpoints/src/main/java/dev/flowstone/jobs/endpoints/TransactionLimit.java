// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import dev.flowstone.commandline.DurationText;
import dev.flowstone.jobs.entry.JobStart;
import dev.flowstone.offheap.Reason;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * The longest transaction that the brokers allow: a producer learns it late and is told neither
 * number.
 */
final class TransactionLimit {
  private static final String SETTING = "transaction.max.timeout.ms";

  private TransactionLimit() {}

  /** Refuses a timeout that a broker does. Who may not ask is warned, and left to the broker. */
  static void check(KafkaOptions options, Brokers brokers, JobStart start)
      throws InterruptedException {
    try {
      for (String mostMs : brokers.setting(SETTING)) {
        require(options.transactionTimeout, Long.parseLong(mostMs));
      }
    } catch (ExecutionException | TimeoutException e) {
      start.warn(
          "cannot ask %s for %s: %s; --transaction-timeout %s is not checked, and a broker that allows less refuses the job's transactions"
              .formatted(
                  options.bootstrapServers,
                  SETTING,
                  Reason.ofRoot(e),
                  DurationText.of(options.transactionTimeout)));
    }
  }

  private static void require(Duration timeout, long mostMs) {
    if (timeout.toMillis() > mostMs) {
      throw new IllegalArgumentException(
          ("--transaction-timeout is %,d ms, and the broker's %s allows %,d ms: ask for less, or"
                  + " raise the broker's")
              .formatted(timeout.toMillis(), SETTING, mostMs));
    }
  }
}
