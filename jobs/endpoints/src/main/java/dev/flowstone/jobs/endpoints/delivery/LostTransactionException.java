// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import java.io.IOException;
import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;

/**
 * Packets that a checkpoint counts as delivered are not in Kafka. Flink does not restart a job that
 * fails with it: the transaction would be as lost the next time.
 */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public final class LostTransactionException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Without Kafka's exception as its cause: this one is what whoever looks for the root finds. */
  LostTransactionException(String message) {
    super(message);
  }
}
