// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.util.Collector;

/**
 * Adds up parts of the same rule, measure, prefix or flow, and interval until the interval is over.
 */
final class MergeParts extends KeyedProcessFunction<String, HistogramPart, HistogramPart> {
  private static final long serialVersionUID = 1L;

  private transient ValueState<HistogramPart> sum;

  @Override
  public void open(OpenContext context) {
    sum =
        getRuntimeContext()
            .getState(new ValueStateDescriptor<>("sum", TypeInformation.of(HistogramPart.class)));
  }

  @Override
  public void processElement(HistogramPart part, Context context, Collector<HistogramPart> out)
      throws Exception {
    if (context.timerService().currentWatermark() == Watermark.MAX_WATERMARK.getTimestamp()) {
      // A source has ended while another one was idle: no watermark follows.
      if (part.hasValues()) {
        out.collect(part);
      }
      return;
    }
    HistogramPart before = sum.value();
    sum.update(before == null ? part : before.plus(part));
    context.timerService().registerEventTimeTimer(part.lastMs());
  }

  @Override
  public void onTimer(long timeMs, OnTimerContext context, Collector<HistogramPart> out)
      throws Exception {
    HistogramPart whole = sum.value();
    sum.clear();
    if (whole.hasValues()) {
      out.collect(whole);
    }
  }
}
