// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import dev.flowstone.operators.LoggedClose;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.internal.WritableBackchannel;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits through Kafka's own committer, which passes over a transaction that Kafka gave up. This
 * one fails the job, or counts the packets and has them told, as it is asked.
 */
final class TransactionCommitter implements Committer<PacketTransaction> {
  /** Ends of the counters' names, below the committer's metric group. Of aborted transactions: */
  static final String LOST = "LostInTransactions";

  /** Of transactions of which nobody can say whether they were committed. */
  static final String UNCERTAIN = "OfForgottenTransactions";

  private static final Logger LOG = LoggerFactory.getLogger(TransactionCommitter.class);

  private final Committer<KafkaCommittable> kafka;
  private final TransactionFate fate;
  private final OnLostTransaction onLost;
  private final String delivered;
  private final long restoredCheckpoint;
  private final WritableBackchannel<PacketTransaction> lostTransactions;
  private final Counter packetsLost;
  private final Counter packetsUncertain;

  /**
   * @param fate what became of transactions that the committer failed for
   * @param delivered what it delivers: packets or results
   * @param restoredCheckpoint the one from which the job begins; 0: none
   * @param lostTransactions where the writer of this subtask learns what was lost
   */
  TransactionCommitter(
      Committer<KafkaCommittable> kafka,
      TransactionFate fate,
      OnLostTransaction onLost,
      String delivered,
      long restoredCheckpoint,
      WritableBackchannel<PacketTransaction> lostTransactions,
      MetricGroup metrics) {
    this.kafka = kafka;
    this.fate = fate;
    this.onLost = onLost;
    this.delivered = delivered;
    this.restoredCheckpoint = restoredCheckpoint;
    this.lostTransactions = lostTransactions;
    packetsLost = metrics.counter(delivered + LOST);
    packetsUncertain = metrics.counter(delivered + UNCERTAIN);
  }

  /** Tries all before it fails for one that Kafka refuses: the others do not wait for anybody. */
  @Override
  public void commit(Collection<CommitRequest<PacketTransaction>> requests)
      throws IOException, InterruptedException {
    List<CommitOutcome> outcomes = requests.stream().map(CommitOutcome::new).toList();
    kafka.commit(List.copyOf(outcomes));
    for (CommitOutcome outcome : outcomes) {
      if (outcome.failure().isPresent()) {
        handle(outcome, outcome.failure().get());
      }
    }
  }

  private void handle(CommitOutcome outcome, Throwable failure)
      throws IOException, InterruptedException {
    if (!outcome.isForgotten() && fate.wasCommitted(outcome.getCommittable())) {
      LOG.info("Transaction {} was committed before the restart", outcome.transaction().name());
      outcome.acceptAsCommitted();
      return;
    }
    String what = describe(outcome, failure);
    if (onLost == OnLostTransaction.FAIL) {
      throw new LostTransactionException(what + remedy(outcome));
    }
    PacketTransaction transaction = outcome.transaction();
    if (outcome.isForgotten()) {
      packetsUncertain.inc(transaction.packets());
      LOG.warn("{} They are counted as {}.", what, delivered + UNCERTAIN);
    } else {
      packetsLost.inc(transaction.packets());
      lostTransactions.send(transaction);
      LOG.warn("{} They are counted as {}; packets are told as lost.", what, delivered + LOST);
    }
    outcome.giveUp();
  }

  private String describe(CommitOutcome outcome, Throwable failure) {
    PacketTransaction transaction = outcome.transaction();
    return "Kafka %s transaction %s (%s). It holds %,d %s from after checkpoint %d, which %s counts as delivered."
        .formatted(
            outcome.isForgotten() ? "no longer knows" : "gave up",
            transaction.name(),
            failure.getMessage(),
            transaction.packets(),
            delivered,
            transaction.previousCheckpoint(),
            countedBy(transaction));
  }

  /** A checkpoint passed the packets, and its own number is not known where it was not restored. */
  private String countedBy(PacketTransaction transaction) {
    return transaction.previousCheckpoint() < restoredCheckpoint
        ? "checkpoint " + restoredCheckpoint + ", from which the job begins,"
        : "the next checkpoint";
  }

  private static String remedy(CommitOutcome outcome) {
    return outcome.isForgotten()
        ? " The job was away longer than the broker's transactional.id.expiration.ms; only the"
            + " topic itself says whether the packets are there. To go on without knowing, start"
            + " the job from the same checkpoint with --on-lost-transaction continue."
        : " Either the job was away, or its checkpoints failed, for longer than"
            + " --transaction-timeout, or another job uses the same --transaction-prefix. To go on and count these as lost, start the job"
            + " from the same checkpoint with --on-lost-transaction continue; to be safe the next"
            + " time, raise --transaction-timeout.";
  }

  @Override
  public void close() {
    LoggedClose.close(LOG, "Kafka's committer", kafka, lostTransactions);
  }
}
