// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.platform;

import dev.flowstone.blocks.WeightedBlock;
import dev.flowstone.connector.fpga.RingBlocks;
import dev.flowstone.jobs.anomaly.Anomalies;
import dev.flowstone.operators.FlowRecord;
import dev.flowstone.operators.FlowRecords;
import dev.flowstone.operators.KeyedBlocks;
import dev.flowstone.operators.histogram.HistogramResults;
import dev.flowstone.operators.histogram.Histograms;
import dev.flowstone.operators.packets.ChosenPackets;
import dev.flowstone.operators.ruled.FunctionKind;
import dev.flowstone.operators.ruled.RuledBlocks;
import dev.flowstone.operators.user.UserFunctions;
import dev.flowstone.results.Result;
import dev.flowstone.rules.function.Aggregate;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * What rules make of packets, wherever that goes: every function, whatever the rules name now.
 *
 * @param packets that go on as packets, all of a rule or a sample
 * @param results of all other functions, by what they are called
 */
public record PlatformStreams(
    DataStream<WeightedBlock> packets, Map<String, DataStream<? extends Result>> results) {

  /** Adds the functions to the blocks' environment; somebody has to take what they give. */
  public static PlatformStreams of(RingBlocks blocks, PlatformOptions options) {
    RuledBlocks ruled = RuledBlocks.of(blocks, options.liveRules(), "Rules").uid("rules");
    DataStream<WeightedBlock> packets =
        ChosenPackets.of(ruled, options.keys.read(), "Packets").uid("packets");
    return new PlatformStreams(packets, results(ruled, options));
  }

  private static Map<String, DataStream<? extends Result>> results(
      RuledBlocks ruled, PlatformOptions options) {
    Map<String, DataStream<? extends Result>> results = new LinkedHashMap<>();
    results.put("flow records", flowRecords(ruled, options));
    HistogramResults histograms =
        Histograms.of(ruled, options.flows.ofHistograms(options.liveRules()), options.flows.room());
    results.put("histograms", histograms.ofFlows());
    results.put("histogram sums", histograms.ofSums());
    Anomalies anomalies =
        Anomalies.of(ruled.byFlow(FunctionKind.ANOMALY), options.subjects.watchedBytes);
    results.put("alerts", anomalies.alerts());
    results.put("syn windows", anomalies.synWindows());
    if (options.functions != null) {
      results.put(
          "of the user's functions",
          UserFunctions.of(ruled.of(FunctionKind.USER), options.functions, "Own code")
              .uid("user-functions"));
    }
    return results;
  }

  private static DataStream<FlowRecord> flowRecords(RuledBlocks ruled, PlatformOptions options) {
    return KeyedBlocks.ofRuled(ruled.byFlow(FunctionKind.AGGREGATE))
        .room(options.flows.room())
        .process(
            "Flow records",
            new FlowRecords(Aggregate.USUAL.activeTimeout(), Aggregate.USUAL.idleTimeout()))
        .uid("flow-records");
  }
}
