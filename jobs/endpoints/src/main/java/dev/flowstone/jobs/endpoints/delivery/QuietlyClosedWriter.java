// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import dev.flowstone.operators.LoggedClose;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.TwoPhaseCommittingStatefulSink.PrecommittingStatefulSinkWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A writer of Kafka's sink whose {@code close} logs errors instead of throwing them. Kafka's writer
 * throws again the error that failed the task. A task that finishes has flushed before it closes,
 * so that no error of a send is left.
 */
@SuppressWarnings("try") // A close that throws is what this class is about.
record QuietlyClosedWriter<T>(
    PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> kafka)
    implements ForwardingWriter<T> {
  private static final Logger LOG = LoggerFactory.getLogger(QuietlyClosedWriter.class);

  @Override
  public void close() {
    LoggedClose.close(LOG, "Kafka's writer", kafka);
  }
}
