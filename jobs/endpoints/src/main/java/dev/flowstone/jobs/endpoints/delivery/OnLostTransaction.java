// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

/** What the job does when Kafka gave up a transaction whose packets a checkpoint has passed. */
public enum OnLostTransaction {
  /** Fails, and is not restarted: somebody is to decide. */
  FAIL,
  /** Goes on, counts the packets and tells them downstream as lost. */
  CONTINUE
}
