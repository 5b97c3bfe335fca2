// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import java.util.Optional;
import org.apache.flink.api.connector.sink2.Committer.CommitRequest;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.kafka.common.errors.InvalidPidMappingException;

/**
 * Asks Kafka's own committer for a transaction and remembers why it was not committed, where that
 * committer would say so in its log and go on.
 */
final class CommitOutcome implements CommitRequest<KafkaCommittable> {
  private final CommitRequest<PacketTransaction> request;
  private Throwable failure;

  CommitOutcome(CommitRequest<PacketTransaction> request) {
    this.request = request;
  }

  PacketTransaction transaction() {
    return request.getCommittable();
  }

  /** Why it can never be committed, if so. */
  Optional<Throwable> failure() {
    return Optional.ofNullable(failure);
  }

  /** Kafka forgot the transaction's name: it may have been committed long ago, or aborted. */
  boolean isForgotten() {
    return failure instanceof InvalidPidMappingException;
  }

  /** Takes the transaction as done with, though it is not committed. */
  void giveUp() {
    request.signalFailedWithKnownReason(failure);
  }

  /** Takes the transaction as done with, because it was committed before. */
  void acceptAsCommitted() {
    request.signalAlreadyCommitted();
  }

  @Override
  public KafkaCommittable getCommittable() {
    return transaction().kafka();
  }

  @Override
  public int getNumberOfRetries() {
    return request.getNumberOfRetries();
  }

  @Override
  public void signalFailedWithKnownReason(Throwable reason) {
    failure = reason;
  }

  @Override
  public void signalFailedWithUnknownReason(Throwable reason) {
    if (reason instanceof InvalidPidMappingException) {
      failure = reason;
    } else {
      request.signalFailedWithUnknownReason(reason);
    }
  }

  /**
   * Kafka did not answer in time. Its client would take the answer, when it comes, for that of the
   * next transaction; a job that is started again has another client, and asks what became of each.
   */
  @Override
  public void retryLater() {
    throw new IllegalStateException(
        "Kafka did not say in time whether transaction " + transaction().name() + " is committed");
  }

  @Override
  public void updateAndRetryLater(KafkaCommittable transaction) {
    PacketTransaction before = transaction();
    request.updateAndRetryLater(
        new PacketTransaction(
            transaction, before.previousCheckpoint(), before.packets(), before.losses()));
  }

  @Override
  public void signalAlreadyCommitted() {
    request.signalAlreadyCommitted();
  }

  /** Returns the transactional ID: the connector logs a request that it cannot commit. */
  @Override
  public String toString() {
    return transaction().name();
  }
}
