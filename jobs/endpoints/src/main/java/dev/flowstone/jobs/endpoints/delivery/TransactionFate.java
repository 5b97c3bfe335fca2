// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import java.io.IOException;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;

/** What became of a transaction that Kafka will not commit any more. */
@FunctionalInterface
interface TransactionFate {

  /**
   * Whether it was committed before: then its packets are delivered, and only this job had not
   * heard of it.
   *
   * @throws IOException if Kafka does not say
   */
  boolean wasCommitted(KafkaCommittable transaction) throws IOException, InterruptedException;
}
