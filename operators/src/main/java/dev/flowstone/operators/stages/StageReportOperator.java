// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.stages;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.stages.StageBoard;
import dev.flowstone.stages.StageCounts;
import java.util.List;
import org.apache.flink.runtime.metrics.scope.ScopeFormat;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Tells, now and then, what all stages of the job in this process have counted. */
final class StageReportOperator extends AbstractStreamOperator<StageReport>
    implements OneInputStreamOperator<PacketBlock, StageReport> {
  private static final long serialVersionUID = 1L;
  private static final long NS_PER_MS = 1_000_000;

  private final long intervalMs;

  private transient String jobId;

  StageReportOperator(long intervalMs) {
    if (intervalMs < 1) {
      throw new IllegalArgumentException("an interval is a millisecond or more: " + intervalMs);
    }
    this.intervalMs = intervalMs;
  }

  @Override
  public void open() throws Exception {
    super.open();
    jobId = getMetricGroup().getAllVariables().getOrDefault(ScopeFormat.SCOPE_JOB_ID, "");
    awaitNext();
  }

  /** All subtasks tell of the same moments, by which their numbers can be added up. */
  private void awaitNext() {
    long nowMs = getProcessingTimeService().getCurrentProcessingTime();
    long next = nowMs / intervalMs + 1;
    var _ = getProcessingTimeService().registerTimer(next * intervalMs, _ -> tellDue(next));
  }

  private void tellDue(long interval) {
    long current = getProcessingTimeService().getCurrentProcessingTime() / intervalMs;
    send(StageBoard.ofThisProcess().due(jobId, interval, current), interval * intervalMs, false);
    awaitNext();
  }

  private void send(List<StageCounts> counts, long timeMs, boolean areLast) {
    for (StageCounts each : counts) {
      output.collect(new StreamRecord<>(new StageReport(each, timeMs * NS_PER_MS, areLast)));
    }
  }

  @Override
  public void processElement(StreamRecord<PacketBlock> element) {
    // What is told of packets is what others counted.
  }

  /**
   * What has passed since the last time would not be told by anybody. Flink comes here only at the
   * end of the input: not in a job that is cancelled, nor where it is stopped with a savepoint.
   */
  @Override
  public void finish() throws Exception {
    send(
        StageBoard.ofThisProcess().now(jobId),
        getProcessingTimeService().getCurrentProcessingTime(),
        true);
    super.finish();
  }
}
