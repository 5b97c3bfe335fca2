// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Adds up parts of the same rule, measure, prefix or flow, and interval until the interval is over.
 */
final class MergeParts extends KeyedProcessFunction<String, HistogramPart, HistogramPart> {
  private static final long serialVersionUID = 1L;
  private static final long NS_PER_MS = 1_000_000;

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
    HistogramPart before = sum.value();
    sum.update(before == null ? part : before.plus(part));
    context.timerService().registerEventTimeTimer(lastMs(part.endNs()));
  }

  /** A watermark of this millisecond says that all before the end has come. */
  private static long lastMs(long endNs) {
    return Math.ceilDiv(endNs, NS_PER_MS) - 1;
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
