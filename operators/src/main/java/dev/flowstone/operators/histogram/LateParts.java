// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Moves late parts of histograms to the first open interval.
 *
 * <p>A subtask whose rings were idle does not hold back the watermark. Its part of an interval can
 * arrive after the sum of the other subtasks' parts was sent. A second result with the same key
 * would replace the first one in a table.
 */
final class LateParts extends AbstractStreamOperator<HistogramPart>
    implements OneInputStreamOperator<HistogramPart, HistogramPart> {
  private static final long serialVersionUID = 1L;
  private static final long NS_PER_MS = 1_000_000;
  private static final long NONE = Long.MIN_VALUE;
  private static final long LAST = Watermark.MAX_WATERMARK.getTimestamp();

  private transient ListState<Long> savedWatermarksMs;
  private transient long watermarkMs;

  /** Flink does not restore watermarks. Sums were sent up to the lowest one of all subtasks. */
  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    savedWatermarksMs =
        context
            .getOperatorStateStore()
            .getUnionListState(new ListStateDescriptor<>("watermarks", Types.LONG));
    long lowest = LAST;
    for (long saved : savedWatermarksMs.get()) {
      lowest = Math.min(lowest, saved);
    }
    watermarkMs = lowest == LAST ? NONE : lowest;
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    savedWatermarksMs.update(List.of(watermarkMs));
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    watermarkMs = Math.max(watermarkMs, mark.getTimestamp());
    super.processWatermark(mark);
  }

  @Override
  public void processElement(StreamRecord<HistogramPart> element) {
    output.collect(element.replace(inOpenInterval(element.getValue())));
  }

  /**
   * Parts of a flow stay in their interval: all of them come from one subtask, which sends most
   * results of the flow itself. After the last watermark, no interval is open.
   */
  private HistogramPart inOpenInterval(HistogramPart part) {
    boolean isLate = watermarkMs >= part.lastMs() && watermarkMs != LAST;
    if (!isLate || part.subject().flow() != null) {
      return part;
    }
    long behindNs = (watermarkMs + 1) * NS_PER_MS - part.endNs();
    return part.late(behindNs / part.lengthNs() + 1);
  }
}
