// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionListing;

/** What a broker says of the transactions that it knows. */
public record TransactionWatch(String bootstrapServers) {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final long POLL_INTERVAL_MS = 50;

  /** Returns when they are as expected. */
  public void await(Predicate<Collection<TransactionListing>> expected) throws Exception {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
      while (!expected.test(admin.listTransactions().all().get())) {
        if (System.nanoTime() - deadlineNs > 0) {
          throw new AssertionError("still: " + admin.listTransactions().all().get());
        }
        Thread.sleep(POLL_INTERVAL_MS);
      }
    }
  }
}
