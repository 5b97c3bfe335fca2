// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import java.io.IOException;
import java.util.Collection;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.TwoPhaseCommittingStatefulSink;
import org.apache.flink.connector.kafka.sink.TwoPhaseCommittingStatefulSink.PrecommittingStatefulSinkWriter;
import org.apache.flink.metrics.Counter;

/**
 * A writer of Kafka's sink that counts the messages which no broker has confirmed.
 *
 * @param sent the messages that Kafka's writer has sent
 */
@SuppressWarnings("try") // Its close throws whatever the writer's does.
record MeasuredWriter<T>(
    PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> kafka,
    Counter sent,
    Unconfirmed unconfirmed)
    implements ForwardingWriter<T> {

  static <T> MeasuredWriter<T> of(
      TwoPhaseCommittingStatefulSink<T, KafkaWriterState, KafkaCommittable> sink,
      WriterInitContext context,
      Collection<KafkaWriterState> state)
      throws IOException {
    Unconfirmed unconfirmed = Unconfirmed.in(context.metricGroup());
    return new MeasuredWriter<>(
        new QuietlyClosedWriter<>(
            sink.restoreWriter(new ConfirmedContext(context, unconfirmed), state)),
        context.metricGroup().getNumRecordsSendCounter(),
        unconfirmed);
  }

  @Override
  public void write(T element, Context context) throws IOException, InterruptedException {
    long before = sent.getCount();
    kafka.write(element, context);
    unconfirmed.add(sent.getCount() - before);
  }
}
