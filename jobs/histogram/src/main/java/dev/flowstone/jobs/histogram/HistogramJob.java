// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.histogram;

import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.connector.fpga.RingBlocks;
import dev.flowstone.jobs.endpoints.KafkaSinks;
import dev.flowstone.jobs.endpoints.questdb.QuestDbSinks;
import dev.flowstone.jobs.endpoints.stages.StageSinks;
import dev.flowstone.operators.histogram.HistogramResult;
import dev.flowstone.operators.histogram.HistogramResults;
import dev.flowstone.operators.histogram.Histograms;
import dev.flowstone.operators.ruled.LiveRules;
import dev.flowstone.operators.ruled.RuledBlocks;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Sends histograms of inter-arrival times and packet sizes to Kafka, as JSON. */
public final class HistogramJob {
  private HistogramJob() {}

  /** Adds the job to an environment, ready to be executed. */
  public static void build(StreamExecutionEnvironment environment, HistogramOptions options) {
    KafkaSinks.requireCommits(environment, options.kafka, options.rings);
    QuestDbSinks.requireCheckpoints(environment, options.questDb, options.rings);
    RingBlocks blocks = blocks(environment, options);
    HistogramResults found = histograms(blocks, options);
    QuestDbSinks.sendResults(found.ofFlows(), options.questDb, options.name, "histograms");
    QuestDbSinks.sendResults(found.ofSums(), options.questDb, options.name, "histogram sums");
    StageSinks.send(
        blocks.packets(),
        options.stages,
        options.kafka,
        options.questDb,
        options.name,
        options.topic);
    KafkaSinks.sendResults(found.each(), options.kafka, options.name, options.topic);
  }

  /** The job's results, to be sent somewhere. */
  static DataStream<HistogramResult> histograms(
      StreamExecutionEnvironment environment, HistogramOptions options) {
    return histograms(blocks(environment, options), options).together();
  }

  private static RingBlocks blocks(
      StreamExecutionEnvironment environment, HistogramOptions options) {
    return FlowExchange.AUTO.read(environment, source(options), "rings");
  }

  private static HistogramResults histograms(RingBlocks blocks, HistogramOptions options) {
    LiveRules rules = options.liveRules();
    return Histograms.of(
        RuledBlocks.of(blocks, rules, "Rules").uid("rules"),
        options.room(rules),
        options.flows.room());
  }

  /** The tap's rings, read as the options say. */
  static FpgaSourceBuilder source(HistogramOptions options) {
    return options.rings.source(options.name);
  }
}
