// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.jobs.endpoints.KafkaSinks;
import dev.flowstone.jobs.endpoints.questdb.QuestDbSinks;
import dev.flowstone.operators.ruled.FunctionKind;
import dev.flowstone.operators.ruled.RuledBlocks;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Tells Kafka of floods and scans in a tap's packets. */
public final class AnomalyJob {
  private AnomalyJob() {}

  /** Adds the job to an environment, ready to be executed. */
  public static void build(StreamExecutionEnvironment environment, AnomalyOptions options) {
    build(FlowExchange.AUTO.blocksByFlow(environment, source(options), "rings"), options);
  }

  /** The same job on another stream of blocks. */
  public static void build(DataStream<PacketBlock> blocks, AnomalyOptions options) {
    KafkaSinks.requireCommits(blocks.getExecutionEnvironment(), options.kafka, options.rings);
    RuledBlocks ruled = RuledBlocks.of(blocks, options.liveRules(), "Rules").uid("rules");
    QuestDbSinks.requireCheckpoints(
        blocks.getExecutionEnvironment(), options.questDb, options.rings);
    Anomalies found = Anomalies.of(ruled.of(FunctionKind.ANOMALY));
    QuestDbSinks.sendResults(found.alerts(), options.questDb, "alerts");
    QuestDbSinks.sendResults(found.synWindows(), options.questDb, "syn windows");
    KafkaSinks.sendResults(found.results(), options.kafka, options.name, options.topic);
  }

  /** The tap's rings, read as the options say. */
  public static FpgaSourceBuilder source(AnomalyOptions options) {
    return options.rings.source(options.name);
  }
}
