// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import dev.flowstone.blocks.WeightedBlock;
import dev.flowstone.stages.StageMetrics;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.Properties;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.TwoPhaseCommittingStatefulSink;
import org.apache.flink.connector.kafka.sink.internal.BackchannelFactory;
import org.apache.flink.connector.kafka.sink.internal.ReadableBackchannel;
import org.apache.flink.connector.kafka.sink.internal.WritableBackchannel;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.SupportsPostCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * Kafka's exactly-once sink, and beside it the account of what each transaction holds, so that a
 * transaction that Kafka gave up is neither silent nor of unknown size.
 *
 * <p>Writer and committer of a subtask share a channel of the connector's own kind. In one chain,
 * as Flink builds it, a loss is told exactly once. Two losses are left to the committer's counter
 * and log: one that is found when the writer has flushed for the last time, at the end of a bounded
 * job; and, with chaining disabled, one that is found in the moment of a failure.
 */
public final class TransactionalSink<T>
    implements Sink<T>,
        SupportsWriterState<T, KafkaWriterState>,
        SupportsCommitter<PacketTransaction>,
        SupportsPostCommitTopology<PacketTransaction> {
  private static final long serialVersionUID = 1L;
  private static final long NO_CHECKPOINT = 0;

  private final KafkaSink<T> kafka;
  private final DeliveredKind<T> delivered;
  private final OnLostTransaction onLost;
  private final Properties admin;
  private final TransactionNames names;
  private final String channelName;

  private TransactionalSink(
      KafkaSink<T> kafka,
      DeliveredKind<T> delivered,
      OnLostTransaction onLost,
      Properties admin,
      TransactionNames names) {
    this.kafka = kafka;
    this.delivered = delivered;
    this.admin = admin;
    this.onLost = onLost;
    this.names = names;
    channelName = names.prefix() + " lost transactions";
  }

  /**
   * Delivers packets.
   *
   * @param kafka delivers exactly once
   * @param admin what Kafka's admin client is told
   * @param names of that sink's transactions
   */
  public static TransactionalSink<WeightedBlock> ofPackets(
      KafkaSink<WeightedBlock> kafka,
      OnLostTransaction onLost,
      Properties admin,
      TransactionNames names) {
    return new TransactionalSink<>(kafka, new DeliveredKind.Packets(), onLost, admin, names);
  }

  /** Delivers results, in the same way. */
  public static TransactionalSink<ResultMessage> ofResults(
      KafkaSink<ResultMessage> kafka,
      OnLostTransaction onLost,
      Properties admin,
      TransactionNames names) {
    return new TransactionalSink<>(kafka, new DeliveredKind.Results(), onLost, admin, names);
  }

  /** The same sink by its interface, which names what Kafka's class keeps to its package. */
  private TwoPhaseCommittingStatefulSink<T, KafkaWriterState, KafkaCommittable> sink() {
    return kafka;
  }

  @Override
  public TransactionWriter<T> createWriter(WriterInitContext context) throws IOException {
    return restoreWriter(context, List.of());
  }

  @Override
  public TransactionWriter<T> restoreWriter(
      WriterInitContext context, Collection<KafkaWriterState> state) throws IOException {
    TaskInfo task = context.getTaskInfo();
    if (task.getIndexOfThisSubtask() == 0) {
      abortFormerTransactions(restored(context.getRestoredCheckpointId()));
    }
    ReadableBackchannel<PacketTransaction> lost =
        BackchannelFactory.getInstance()
            .getReadableBackchannel(
                task.getIndexOfThisSubtask(), task.getAttemptNumber(), channelName);
    try {
      return new TransactionWriter<>(
          MeasuredWriter.of(sink(), context, state),
          delivered.contents(),
          restored(context.getRestoredCheckpointId()),
          lost);
    } catch (IOException | RuntimeException e) {
      lost.close();
      throw e;
    }
  }

  private void abortFormerTransactions(long checkpoint) throws IOException {
    try {
      FormerTransactions.abort(admin, names, checkpoint);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("stopped while transactions of a former run were aborted", e);
    }
  }

  @Override
  public Committer<PacketTransaction> createCommitter(CommitterInitContext context)
      throws IOException {
    TaskInfo task = context.getTaskInfo();
    WritableBackchannel<PacketTransaction> lost =
        BackchannelFactory.getInstance()
            .getWritableBackchannel(
                task.getIndexOfThisSubtask(), task.getAttemptNumber(), channelName);
    try {
      return new TransactionCommitter(
          sink().createCommitter(context),
          new BrokerTransactions(admin),
          onLost,
          delivered.plural(),
          restored(context.getRestoredCheckpointId()),
          lost,
          StageMetrics.of(context.metricGroup()));
    } catch (IOException | RuntimeException e) {
      lost.close();
      throw e;
    }
  }

  private static long restored(OptionalLong checkpoint) {
    return checkpoint.orElse(NO_CHECKPOINT);
  }

  @Override
  public SimpleVersionedSerializer<KafkaWriterState> getWriterStateSerializer() {
    return sink().getWriterStateSerializer();
  }

  @Override
  public SimpleVersionedSerializer<PacketTransaction> getCommittableSerializer() {
    return new PacketTransactionSerializer(sink().getCommittableSerializer());
  }

  /** Kafka's sink only says here that writer and committer belong on one machine. */
  @Override
  @SuppressWarnings({"unchecked", "rawtypes"})
  public void addPostCommitTopology(DataStream<CommittableMessage<PacketTransaction>> committed) {
    ((SupportsPostCommitTopology) kafka).addPostCommitTopology(committed);
  }
}
