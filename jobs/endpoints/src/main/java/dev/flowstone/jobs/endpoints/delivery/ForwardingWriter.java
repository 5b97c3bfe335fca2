// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.TwoPhaseCommittingStatefulSink.PrecommittingStatefulSinkWriter;

/** A writer around a writer of Kafka's sink, which changes one thing and forwards the rest. */
@SuppressWarnings("try") // Its close throws whatever the writer's does.
interface ForwardingWriter<T>
    extends PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> {

  PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> kafka();

  @Override
  default void write(T element, Context context) throws IOException, InterruptedException {
    kafka().write(element, context);
  }

  @Override
  default void flush(boolean endOfInput) throws IOException, InterruptedException {
    kafka().flush(endOfInput);
  }

  @Override
  default void writeWatermark(Watermark watermark) throws IOException, InterruptedException {
    kafka().writeWatermark(watermark);
  }

  @Override
  default Collection<KafkaCommittable> prepareCommit() throws IOException, InterruptedException {
    return kafka().prepareCommit();
  }

  @Override
  default List<KafkaWriterState> snapshotState(long checkpoint) throws IOException {
    return kafka().snapshotState(checkpoint);
  }

  @Override
  default void close() throws Exception {
    kafka().close();
  }
}
