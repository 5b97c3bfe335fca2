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

/**
 * Asks the brokers what they did with a transaction. A broker that commits one gives its producer a
 * new epoch, so that a job which was killed between commit and the news of it finds itself fenced,
 * as if the transaction had timed out; only the transaction's state tells the two apart. It stays
 * until the transaction's name is used again, and the job writes under each once.
 *
 * <p>Kafka's client itself uses a name again: whoever commits several transactions of a checkpoint
 * through one producer has it ask for a new epoch behind one of them, as a rule the second, which
 * leaves that one empty. Whoever aborts one that waits for its checkpoint is the broker, for its
 * timeout or for a newcomer, and takes a new epoch for that as well: an empty one is then two
 * ahead.
 */
final class BrokerTransactions implements TransactionFate {
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);

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
    return wasCommitted(transaction, describe(transaction.getTransactionalId()));
  }

  static boolean wasCommitted(KafkaCommittable transaction, TransactionDescription now)
      throws IOException {
    if (now.producerId() != transaction.getProducerId()) {
      return false;
    }
    int newEpochs = now.producerEpoch() - transaction.getEpoch();
    return switch (now.state()) {
      case PREPARE_COMMIT, COMPLETE_COMMIT -> newEpochs <= 1;
      case EMPTY -> newEpochs == 1;
      case ONGOING -> {
        if (newEpochs <= 1) {
          // The refusal was of something else; a job that is started again asks anew.
          throw new IOException(
              "Kafka has not decided on transaction "
                  + transaction.getTransactionalId()
                  + ": it is still open");
        }
        yield false;
      }
      default -> false;
    };
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
