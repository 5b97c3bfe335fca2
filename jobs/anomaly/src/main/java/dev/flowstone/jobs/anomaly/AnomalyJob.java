// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.connector.fpga.RingBlocks;
import dev.flowstone.jobs.endpoints.KafkaSinks;
import dev.flowstone.jobs.endpoints.questdb.QuestDbSinks;
import dev.flowstone.jobs.endpoints.stages.StageSinks;
import dev.flowstone.operators.ruled.FunctionKind;
import dev.flowstone.operators.ruled.RuledBlocks;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Tells Kafka of floods and scans in a tap's packets. */
public final class AnomalyJob {
  private AnomalyJob() {}

  /** Adds the job to an environment, ready to be executed. */
  public static void build(StreamExecutionEnvironment environment, AnomalyOptions options) {
    build(blocks(environment, options), options);
  }

  /** The same job on other blocks. */
  public static void build(RingBlocks blocks, AnomalyOptions options) {
    StreamExecutionEnvironment environment = blocks.packets().getExecutionEnvironment();
    KafkaSinks.requireCommits(environment, options.kafka, options.rings);
    QuestDbSinks.requireCheckpoints(environment, options.questDb, options.rings);
    Anomalies found = anomalies(blocks, options);
    QuestDbSinks.sendResults(found.alerts(), options.questDb, options.name, "alerts");
    QuestDbSinks.sendResults(found.synWindows(), options.questDb, options.name, "syn windows");
    StageSinks.send(
        blocks.packets(),
        options.stages,
        options.kafka,
        options.questDb,
        options.name,
        options.topic);
    KafkaSinks.sendResults(found.results(), options.kafka, options.name, options.topic);
  }

  /** What the job reads. */
  static RingBlocks blocks(StreamExecutionEnvironment environment, AnomalyOptions options) {
    return FlowExchange.AUTO.read(environment, source(options), "rings");
  }

  /** The job's results, to be sent somewhere. */
  static Anomalies anomalies(RingBlocks blocks, AnomalyOptions options) {
    RuledBlocks ruled = RuledBlocks.of(blocks, options.liveRules(), "Rules").uid("rules");
    return Anomalies.of(ruled.byFlow(FunctionKind.ANOMALY), options.subjects.watchedBytes);
  }

  /** The tap's rings, read as the options say. */
  public static FpgaSourceBuilder source(AnomalyOptions options) {
    return options.rings.source(options.name);
  }
}
