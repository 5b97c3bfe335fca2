// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import dev.flowstone.results.LineResult;
import dev.flowstone.results.Result;
import dev.flowstone.stages.StageMetrics;
import java.io.IOException;
import java.time.Duration;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Keeps results until a checkpoint has them and completes, then has them sent. What the store did
 * not confirm is in each checkpoint and sent again after a failure; rows have keys, so one is left.
 *
 * <p>An operator and not a committer of Flink's sinks: that one has to answer in the task's thread,
 * holds up checkpoints while it waits, and fails the job after so many retries without a pause.
 */
final class QuestDbOperator<R extends Result> extends AbstractStreamOperator<Void>
    implements OneInputStreamOperator<R, Void> {
  private static final long serialVersionUID = 1L;

  /** When all input has come: so long nothing may move before the job fails, to try it again. */
  private static final Duration END_LIMIT = Duration.ofMinutes(1);

  /** When the task ends otherwise, results are in its checkpoint or savepoint. */
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);

  private final QuestDbDelivery delivery;
  private final boolean awaitsCheckpoints;
  private transient ListState<byte[]> saved;
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
    saved =
        context
            .getOperatorStateStore()
            .getListState(
                new ListStateDescriptor<>(
                    "unsent results", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
    MetricGroup metrics = StageMetrics.of(getMetricGroup());
    DeadLetterLog deadLetters = new DeadLetterLog();
    outbox =
        new Outbox(
            delivery.bufferBytes(),
            delivery.whenFull(),
            awaitsCheckpoints,
            ResultCounters.in(metrics),
            deadLetters);
    metrics.gauge("unsentBytes", (Gauge<Long>) outbox::unsentBytes);
    metrics.gauge("resultsWaiting", (Gauge<Long>) outbox::waiting);
    metrics.gauge("tablesFailing", (Gauge<Integer>) outbox::failingTables);
    for (byte[] chunk : saved.get()) {
      outbox.restore(LineChunk.read(chunk));
    }
    sender = new OutboxSender("questdb-sender", outbox, delivery.connect(deadLetters));
    sender.start();
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
    saved.clear();
    for (LineChunk chunk : outbox.unsent()) {
      saved.add(chunk.toBytes());
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
    try {
      if (sender != null) {
        endSender();
      }
    } finally {
      super.close();
    }
  }

  private void endSender() throws IOException, InterruptedException {
    try {
      outbox.awaitSent(CLOSE_LIMIT);
    } finally {
      sender.stop();
    }
  }
}
