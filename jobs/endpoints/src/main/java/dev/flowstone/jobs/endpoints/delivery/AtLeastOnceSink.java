// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.TwoPhaseCommittingStatefulSink;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.SupportsPostCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;

/** Kafka's sink without transactions. A failed send fails the job and no other one. */
public final class AtLeastOnceSink<T>
    implements TwoPhaseCommittingStatefulSink<T, KafkaWriterState, KafkaCommittable>,
        SupportsPostCommitTopology<KafkaCommittable> {
  private static final long serialVersionUID = 1L;

  private final KafkaSink<T> kafka;

  public AtLeastOnceSink(KafkaSink<T> kafka) {
    this.kafka = kafka;
  }

  /** The same sink by its interface, which names what Kafka's class keeps to its package. */
  private TwoPhaseCommittingStatefulSink<T, KafkaWriterState, KafkaCommittable> sink() {
    return kafka;
  }

  @Override
  public PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> createWriter(
      WriterInitContext context) throws IOException {
    return restoreWriter(context, List.of());
  }

  @Override
  public PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> restoreWriter(
      WriterInitContext context, Collection<KafkaWriterState> state) throws IOException {
    return MeasuredWriter.of(sink(), context, state);
  }

  @Override
  public SimpleVersionedSerializer<KafkaWriterState> getWriterStateSerializer() {
    return kafka.getWriterStateSerializer();
  }

  @Override
  public Committer<KafkaCommittable> createCommitter(CommitterInitContext context)
      throws IOException {
    return kafka.createCommitter(context);
  }

  @Override
  public SimpleVersionedSerializer<KafkaCommittable> getCommittableSerializer() {
    return kafka.getCommittableSerializer();
  }

  /** Kafka's sink only says here that writer and committer belong on one machine. */
  @Override
  public void addPostCommitTopology(DataStream<CommittableMessage<KafkaCommittable>> committed) {
    kafka.addPostCommitTopology(committed);
  }
}
