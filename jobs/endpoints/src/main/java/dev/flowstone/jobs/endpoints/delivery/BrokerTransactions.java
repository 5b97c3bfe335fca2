// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import java.io.IOException;
import java.time.Duration;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionState;

/**
 * Asks the brokers what they did with a transaction. A broker that commits one gives its producer a
 * new epoch, so that a job which was killed between commit and the news of it finds itself fenced,
 * as if the transaction had timed out; only the transaction's state tells the two apart. It stays
 * until the transaction's name is used again, and the job uses each once.
 */
final class BrokerTransactions implements TransactionFate {
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);
  private static final Set<TransactionState> COMMITTED =
      Set.of(TransactionState.PREPARE_COMMIT, TransactionState.COMPLETE_COMMIT);

  private final Properties admin;

  /**
   * @param admin what Kafka's admin client is told
   */
  BrokerTransactions(Properties admin) {
    this.admin = admin;
  }

  @Override
  public boolean wasCommitted(KafkaCommittable transaction)
      throws IOException, InterruptedException {
    TransactionDescription now = describe(transaction.getTransactionalId());
    return now.producerId() == transaction.getProducerId() && COMMITTED.contains(now.state());
  }

  private TransactionDescription describe(String name) throws IOException, InterruptedException {
    try (Admin client = Admin.create(admin)) {
      return client
          .describeTransactions(Set.of(name))
          .description(name)
          .get(ANSWER_LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException(
          "cannot ask Kafka whether transaction "
              + name
              + " was committed or given up: "
              + (e.getCause() == null ? e.toString() : e.getCause().toString()),
          e);
    }
  }
}
