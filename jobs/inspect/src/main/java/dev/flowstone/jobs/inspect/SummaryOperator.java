// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import dev.flowstone.blocks.PacketBlock;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Counts the packets that one subtask is given and hands the summary over at their end. */
final class SummaryOperator extends AbstractStreamOperator<Void>
    implements OneInputStreamOperator<PacketBlock, Void> {
  static final String ACCUMULATOR = "summary";

  private final InspectLimits limits;
  private transient TrafficCounter counter;
  private transient SummaryAccumulator accumulator;

  SummaryOperator(InspectLimits limits) {
    this.limits = limits;
  }

  @Override
  public void open() throws Exception {
    super.open();
    counter = new TrafficCounter(limits);
    accumulator = new SummaryAccumulator();
    getRuntimeContext().addAccumulator(ACCUMULATOR, accumulator);
  }

  @Override
  public void processElement(StreamRecord<PacketBlock> element) {
    counter.add(element.getValue());
  }

  @Override
  public void finish() throws Exception {
    super.finish();
    TrafficSummary summary = counter.summary();
    // Its flows make room for what the summaries of all subtasks need while they are merged.
    counter = null;
    accumulator.add(summary);
  }
}
