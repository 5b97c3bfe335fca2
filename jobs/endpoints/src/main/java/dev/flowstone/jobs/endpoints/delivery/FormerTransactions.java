// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import dev.flowstone.offheap.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transactions that former runs of a job left open. Consumers of committed messages wait behind
 * them until they time out.
 */
final class FormerTransactions {
  private static final Logger LOG = LoggerFactory.getLogger(FormerTransactions.class);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);

  private FormerTransactions() {}

  /**
   * Aborts those that are not part of the checkpoint from which this run begins. If the brokers
   * refuse, the run begins all the same.
   *
   * @param admin settings of Kafka's admin client
   * @param checkpoint 0: the run begins without one
   */
  static void abort(Properties admin, TransactionNames names, long checkpoint)
      throws InterruptedException {
    List<String> open = List.of();
    try (Admin client = Admin.create(admin)) {
      open =
          client
              .listTransactions(
                  new ListTransactionsOptions().filterStates(Set.of(TransactionState.ONGOING)))
              .all()
              .get(ANSWER_LIMIT.toSeconds(), TimeUnit.SECONDS)
              .stream()
              .map(TransactionListing::transactionalId)
              .filter(name -> names.isOfAnotherRunAfter(name, checkpoint))
              .toList();
      if (!open.isEmpty()) {
        client.fenceProducers(open).all().get(ANSWER_LIMIT.toSeconds(), TimeUnit.SECONDS);
        LOG.info("aborted transactions that a former run left open: {}", open);
      }
    } catch (ExecutionException | TimeoutException | KafkaException e) {
      LOG.warn(
          "cannot {} of former runs of {}: {}; consumers may wait for up to --transaction-timeout",
          open.isEmpty() ? "look for open transactions" : "abort open transactions " + open,
          names.ofJob(),
          Reason.ofRoot(e));
    }
  }
}
