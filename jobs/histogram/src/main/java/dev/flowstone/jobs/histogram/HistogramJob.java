// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.histogram;

import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.connector.fpga.RingBlocks;
import dev.flowstone.jobs.endpoints.KafkaSinks;
import dev.flowstone.jobs.endpoints.questdb.QuestDbSinks;
import dev.flowstone.operators.histogram.HistogramResult;
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
    DataStream<HistogramResult> found = histograms(environment, options);
    QuestDbSinks.sendResults(found, options.questDb, "histograms");
    KafkaSinks.sendResults(found, options.kafka, options.name, options.topic);
  }

  /** The job's results, to be sent somewhere. */
  static DataStream<HistogramResult> histograms(
      StreamExecutionEnvironment environment, HistogramOptions options) {
    LiveRules rules = options.liveRules();
    RingBlocks blocks = FlowExchange.AUTO.read(environment, source(options), "rings");
    return Histograms.of(
        RuledBlocks.of(blocks, rules, "Rules").uid("rules"),
        options.room(rules),
        options.flows.mostFlows);
  }

  /** The tap's rings, read as the options say. */
  static FpgaSourceBuilder source(HistogramOptions options) {
    return options.rings.source(options.name);
  }
}
