// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness.failure;

import dev.flowstone.harness.failure.FailureInjection.Place;
import java.util.List;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Forwards each record, and throws the failures of a {@link FailureInjection}. Counts the records
 * in state: Flink does not report a restore to a task without state.
 */
final class FailurePoint<T> extends ProcessFunction<T, T>
    implements CheckpointedFunction, CheckpointListener {
  private static final long serialVersionUID = 1L;
  private static final long NONE = Long.MAX_VALUE;

  private final int injectionId;
  private transient FailureInjection injection;
  private transient int subtask;
  private transient ListState<Long> state;
  private transient long records;

  /** The first checkpoint that was started after that call and follows a record. */
  private transient long firstCheckpoint;

  private transient int startedAfterCall;

  FailurePoint(int injectionId) {
    this.injectionId = injectionId;
  }

  @Override
  public void initializeState(FunctionInitializationContext context) throws Exception {
    injection = FailureInjection.of(injectionId);
    subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
    state =
        context
            .getOperatorStateStore()
            .getListState(new ListStateDescriptor<>("records", Types.LONG));
    for (long restored : state.get()) {
      records += restored;
    }
    firstCheckpoint = NONE;
    injection.start(subtask, context.isRestored());
  }

  @Override
  public void processElement(T element, Context context, Collector<T> out) {
    out.collect(element);
    records++;
    injection.pass(Place.PROCESSING, subtask);
  }

  @Override
  public void snapshotState(FunctionSnapshotContext context) throws Exception {
    state.update(List.of(records));
    int call = injection.call();
    if (call != startedAfterCall) {
      startedAfterCall = call;
      firstCheckpoint = NONE;
    }
    if (records > 0) {
      firstCheckpoint = Math.min(firstCheckpoint, context.getCheckpointId());
    }
    injection.pass(Place.SNAPSHOT, subtask);
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) {
    if (checkpointId >= firstCheckpoint) {
      injection.completeCheckpoint(startedAfterCall);
      injection.pass(Place.CHECKPOINT_COMPLETE, subtask);
    }
  }
}
