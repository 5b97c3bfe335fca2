// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import dev.flowstone.operators.LoggedClose;
import dev.flowstone.results.LineResult;
import dev.flowstone.results.Result;
import dev.flowstone.stages.StageMetrics;
import java.io.IOException;
import java.time.Duration;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.DataOutputViewStreamWrapper;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.OperatorStateCheckpointOutputStream;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StatePartitionStreamProvider;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps results until a checkpoint has them and completes, then has them sent. What the store did
 * not confirm is in each checkpoint and sent again after a failure; rows have keys, so one is left.
 * A checkpoint writes them to its stream, so that it needs no second copy of them in memory.
 *
 * <p>An operator and not a committer of Flink's sinks: that one has to answer in the task's thread,
 * holds up checkpoints while it waits, and fails the job after so many retries without a pause.
 */
final class QuestDbOperator<R extends Result> extends AbstractStreamOperator<Void>
    implements OneInputStreamOperator<R, Void> {
  private static final long serialVersionUID = 1L;

  private static final Logger LOG = LoggerFactory.getLogger(QuestDbOperator.class);

  /** Of savepoints of earlier releases. */
  private static final ListStateDescriptor<byte[]> UNSIZED_CHUNKS =
      new ListStateDescriptor<>(
          "unsent results", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

  /** When all input has come: so long nothing may move before the job fails, to try it again. */
  private static final Duration END_LIMIT = Duration.ofMinutes(1);

  /** When the task ends otherwise, results are in its checkpoint or savepoint. */
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);

  private final QuestDbDelivery delivery;
  private final boolean awaitsCheckpoints;
  private transient ResultMemory memory;
  private transient Outbox outbox;
  private transient OutboxSender sender;
  private transient boolean hasAllInput;

  QuestDbOperator(
      StreamOperatorParameters<Void> parameters,
      QuestDbDelivery delivery,
      boolean awaitsCheckpoints) {
    super(parameters);
    this.delivery = delivery;
    this.awaitsCheckpoints = awaitsCheckpoints;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    MetricGroup metrics = StageMetrics.of(getMetricGroup());
    DeadLetterLog deadLetters = new DeadLetterLog();
    memory = ResultMemory.shared(environment(), this, delivery.bufferBytes());
    outbox =
        new Outbox(
            memory,
            delivery.whenFull(),
            awaitsCheckpoints,
            ResultCounters.in(getMetricGroup()),
            deadLetters);
    metrics.gauge("unsentBytes", (Gauge<Long>) outbox::unsentBytes);
    metrics.gauge("resultsWaiting", (Gauge<Long>) outbox::waiting);
    metrics.gauge("tablesFailing", (Gauge<Integer>) outbox::failingTables);
    restore(context);
    sender = new OutboxSender("questdb-sender", outbox, delivery.connect(deadLetters));
    sender.start();
  }

  private Environment environment() {
    return getContainingTask().getEnvironment();
  }

  private void restore(StateInitializationContext context) throws Exception {
    for (StatePartitionStreamProvider each : context.getRawOperatorStateInputs()) {
      outbox.restore(LineChunk.read(new DataInputViewStreamWrapper(each.getStream())));
    }
    ListState<byte[]> unsized = context.getOperatorStateStore().getListState(UNSIZED_CHUNKS);
    for (byte[] chunk : unsized.get()) {
      outbox.restore(LineChunk.readUnsized(chunk));
    }
    unsized.clear();
  }

  @Override
  public void processElement(StreamRecord<R> element) throws IOException, InterruptedException {
    R result = element.getValue();
    LineResult line;
    try {
      line = LineResult.of(result, delivery.job());
    } catch (IllegalArgumentException e) {
      outbox.addUnwritable(result.kind(), e.getMessage());
      return;
    }
    outbox.add(line);
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    outbox.begin(context.getCheckpointId());
    OperatorStateCheckpointOutputStream stream = context.getRawOperatorStateOutput();
    for (LineChunk chunk : outbox.unsent()) {
      stream.startNewPartition();
      chunk.write(new DataOutputViewStreamWrapper(stream));
    }
  }

  @Override
  public void notifyCheckpointComplete(long checkpoint) throws Exception {
    super.notifyCheckpointComplete(checkpoint);
    outbox.complete(checkpoint);
    if (hasAllInput) {
      sendRest();
    }
  }

  @Override
  public void notifyCheckpointAborted(long checkpoint) throws Exception {
    super.notifyCheckpointAborted(checkpoint);
    outbox.abort(checkpoint);
  }

  @Override
  public void finish() throws Exception {
    super.finish();
    hasAllInput = true;
    if (!awaitsCheckpoints) {
      outbox.letAllLeave();
      sendRest();
    }
  }

  private void sendRest() throws IOException, InterruptedException {
    long before;
    do {
      before = outbox.waiting();
      if (outbox.awaitSent(END_LIMIT)) {
        return;
      }
    } while (outbox.waiting() < before);
    throw new IOException(
        "the job's input has ended and QuestDB does not take the last %,d results; they are in the checkpoint from which the job goes on (%s)"
            .formatted(
                before, outbox.lastFailure().isEmpty() ? "it is slow" : outbox.lastFailure()));
  }

  @Override
  public void close() throws Exception {
    if (outbox != null) {
      LoggedClose.close(LOG, "The sink for QuestDB", this::endSender, outbox::close);
    }
    if (memory != null) {
      LoggedClose.close(
          LOG, "The sink for QuestDB", () -> ResultMemory.release(environment(), this));
    }
    super.close();
  }

  long resultsWaiting() {
    return outbox.waiting();
  }

  private void endSender() throws IOException, InterruptedException {
    if (sender == null) {
      return;
    }
    try {
      if (!outbox.isStoreAway()) {
        outbox.awaitSent(CLOSE_LIMIT);
      }
    } finally {
      sender.stop();
    }
  }
}
