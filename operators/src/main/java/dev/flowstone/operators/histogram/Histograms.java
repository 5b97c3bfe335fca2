// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import dev.flowstone.operators.FlowRoom;
import dev.flowstone.operators.KeyedBlocks;
import dev.flowstone.operators.ruled.FunctionKind;
import dev.flowstone.operators.ruled.LiveRules;
import dev.flowstone.operators.ruled.RuledBlocks;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/** The function histogram in a job. */
public final class Histograms {
  private Histograms() {}

  /**
   * Histograms of all rules that ask for some. What the flow table holds are, of rules per flow,
   * their counts; of others a few words for each flow.
   *
   * @param room that all sets of rules of the blocks have to do with: {@link LiveRules#requiring}
   *     it
   * @param flows for which there is room; one counts once for each rule that has packets of it
   */
  public static HistogramResults of(RuledBlocks blocks, HistogramRoom room, FlowRoom flows) {
    SingleOutputStreamOperator<HistogramPart> parts =
        KeyedBlocks.ofRuled(blocks.byFlow(FunctionKind.HISTOGRAM))
            .room(flows)
            .process("Histograms", new FlowHistograms(room))
            .uid("histograms");
    DataStream<HistogramResult> ofFlows =
        report(parts.filter(HistogramPart::isWhole).name("Histograms: whole"), "results");
    DataStream<HistogramPart> sums =
        parts
            .filter(part -> !part.isWhole())
            .name("Histograms: parts")
            .keyBy(HistogramPart::key)
            .transform(
                "Histograms: late parts", TypeInformation.of(HistogramPart.class), new LateParts())
            .uid("histogram-late-parts")
            .keyBy(HistogramPart::key)
            .process(new MergeParts(), TypeInformation.of(HistogramPart.class))
            .name("Histograms: sums")
            .uid("histogram-sums");
    return new HistogramResults(ofFlows, report(sums, "results of sums"));
  }

  private static DataStream<HistogramResult> report(DataStream<HistogramPart> parts, String name) {
    return parts
        .map(new HistogramReport())
        .returns(HistogramResult.class)
        .name("Histograms: " + name);
  }
}
