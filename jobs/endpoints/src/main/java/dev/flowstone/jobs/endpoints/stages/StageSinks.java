// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.stages;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.jobs.endpoints.KafkaOptions;
import dev.flowstone.jobs.endpoints.KafkaSinks;
import dev.flowstone.jobs.endpoints.questdb.QuestDbOptions;
import dev.flowstone.jobs.endpoints.questdb.QuestDbSinks;
import dev.flowstone.operators.stages.StageReport;
import dev.flowstone.operators.stages.StageReports;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;

/** Sends what the stages of a job count where its results go. */
public final class StageSinks {
  private StageSinks() {}

  /**
   * For a job that sends packets and no results: to Kafka where a topic is named, and to QuestDB
   * where that is asked for.
   *
   * @param blocks that the job works on
   */
  public static void send(
      DataStream<PacketBlock> blocks,
      StageOptions options,
      KafkaOptions kafka,
      QuestDbOptions questDb,
      String jobName) {
    send(blocks, options, kafka, questDb, jobName, Optional.empty());
  }

  /**
   * To Kafka and, where it is asked for, QuestDB.
   *
   * @param blocks that the job works on
   * @param resultsTopic where they go unless a topic is named
   */
  public static void send(
      DataStream<PacketBlock> blocks,
      StageOptions options,
      KafkaOptions kafka,
      QuestDbOptions questDb,
      String jobName,
      String resultsTopic) {
    send(blocks, options, kafka, questDb, jobName, Optional.of(resultsTopic));
  }

  private static void send(
      DataStream<PacketBlock> blocks,
      StageOptions options,
      KafkaOptions kafka,
      QuestDbOptions questDb,
      String jobName,
      Optional<String> resultsTopic) {
    Optional<String> topic = options.topic(resultsTopic);
    if (options.interval.isZero() || (topic.isEmpty() && !questDb.isGiven())) {
      return;
    }
    DataStream<StageReport> reports = StageReports.of(blocks, options.interval);
    QuestDbSinks.sendResults(reports, questDb, jobName, "stages");
    topic.ifPresent(name -> KafkaSinks.sendStages(reports, kafka, jobName, name));
  }
}
