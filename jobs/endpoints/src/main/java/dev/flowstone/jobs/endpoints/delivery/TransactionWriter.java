// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import dev.flowstone.blocks.WeightedBlock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.TwoPhaseCommittingStatefulSink.PrecommittingStatefulSinkWriter;
import org.apache.flink.connector.kafka.sink.internal.ReadableBackchannel;
import org.apache.flink.util.IOUtils;

/**
 * Writes through Kafka's own writer, keeps account of what each transaction holds, and tells what
 * the committer found lost in the transaction under way.
 *
 * <p>A loss is told exactly once: the transaction that tells it belongs to the first checkpoint
 * that no longer knows the lost one. If that checkpoint fails, both its transaction and its news
 * are void, and a restarted job finds the lost transaction again.
 */
@SuppressWarnings("try") // Its close throws whatever Kafka's does.
final class TransactionWriter<T>
    implements StatefulSinkWriter<T, KafkaWriterState>, CommittingSinkWriter<T, PacketTransaction> {

  /** Messages take Kafka's time, see the schema. */
  private static final Context NO_TIME =
      new Context() {
        @Override
        public long currentWatermark() {
          return Long.MIN_VALUE;
        }

        @Override
        public Long timestamp() {
          return null;
        }
      };

  private final PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> kafka;
  private final ReadableBackchannel<PacketTransaction> lostTransactions;
  private final TransactionContents<T> contents;
  private long previousCheckpoint;

  /**
   * @param contents of the transaction under way; nothing yet
   * @param previousCheckpoint the one from which the job begins; 0: none
   * @param lostTransactions what the committer of this subtask finds lost
   */
  TransactionWriter(
      PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> kafka,
      TransactionContents<T> contents,
      long previousCheckpoint,
      ReadableBackchannel<PacketTransaction> lostTransactions) {
    this.kafka = kafka;
    this.contents = contents;
    this.previousCheckpoint = previousCheckpoint;
    this.lostTransactions = lostTransactions;
  }

  @Override
  public void write(T element, Context context) throws IOException, InterruptedException {
    tellLosses();
    writeAndCount(element, context);
  }

  private void writeAndCount(T element, Context context) throws IOException, InterruptedException {
    kafka.write(element, context);
    contents.add(element);
  }

  private void tellLosses() throws IOException, InterruptedException {
    PacketTransaction lost = lostTransactions.poll();
    while (lost != null) {
      for (WeightedBlock loss : lost.losses()) {
        writeAndCount(contents.telling(loss), NO_TIME);
      }
      lost = lostTransactions.poll();
    }
  }

  @Override
  public void flush(boolean endOfInput) throws IOException, InterruptedException {
    tellLosses();
    kafka.flush(endOfInput);
  }

  @Override
  public void writeWatermark(Watermark watermark) throws IOException, InterruptedException {
    kafka.writeWatermark(watermark);
  }

  @Override
  public Collection<PacketTransaction> prepareCommit() throws IOException, InterruptedException {
    List<PacketTransaction> prepared = new ArrayList<>();
    for (KafkaCommittable transaction : kafka.prepareCommit()) {
      prepared.add(
          new PacketTransaction(
              transaction, previousCheckpoint, contents.count(), contents.losses()));
    }
    contents.clear();
    return prepared;
  }

  @Override
  public List<KafkaWriterState> snapshotState(long checkpoint) throws IOException {
    previousCheckpoint = checkpoint;
    return kafka.snapshotState(checkpoint);
  }

  @Override
  public void close() throws Exception {
    IOUtils.closeAll(kafka, lostTransactions);
  }
}
