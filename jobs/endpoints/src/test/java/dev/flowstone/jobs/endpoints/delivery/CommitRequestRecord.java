// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import org.apache.flink.api.connector.sink2.Committer.CommitRequest;

/** A request as Flink makes it, which remembers what became of it. */
final class CommitRequestRecord implements CommitRequest<PacketTransaction> {
  private final PacketTransaction transaction;
  private Throwable failure;
  private boolean alreadyCommitted;

  CommitRequestRecord(PacketTransaction transaction) {
    this.transaction = transaction;
  }

  boolean isAlreadyCommitted() {
    return alreadyCommitted;
  }

  Throwable failure() {
    return failure;
  }

  @Override
  public PacketTransaction getCommittable() {
    return transaction;
  }

  @Override
  public int getNumberOfRetries() {
    return 0;
  }

  @Override
  public void signalFailedWithKnownReason(Throwable reason) {
    failure = reason;
  }

  @Override
  public void signalFailedWithUnknownReason(Throwable reason) {
    throw (RuntimeException) reason;
  }

  @Override
  public void retryLater() {
    throw new AssertionError("not asked for");
  }

  @Override
  public void updateAndRetryLater(PacketTransaction other) {
    throw new AssertionError("not asked for");
  }

  @Override
  public void signalAlreadyCommitted() {
    alreadyCommitted = true;
  }
}
