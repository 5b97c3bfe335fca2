// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import dev.flowstone.jobs.endpoints.RingOptions;
import dev.flowstone.results.Result;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Sinks that write to QuestDB as the options say. */
public final class QuestDbSinks {
  private QuestDbSinks() {}

  /** Without a checkpoint the results of a job that never ends leave when a request is full. */
  public static void requireCheckpoints(
      StreamExecutionEnvironment environment, QuestDbOptions options, RingOptions rings) {
    if (options.isGiven() && !rings.bounded && !hasCheckpoints(environment)) {
      throw new IllegalArgumentException(
          "--questdb: results leave with each checkpoint, and checkpointing is off: set"
              + " execution.checkpointing.interval");
    }
  }

  /**
   * Sends results, each to the table of its kind, once however often the job fails; nowhere when
   * there is no {@code --questdb}.
   *
   * @param job whose results they are, as their rows say
   * @param name tells these results from others of the job
   */
  public static <R extends Result> void sendResults(
      DataStream<R> results, QuestDbOptions options, String job, String name) {
    if (!options.isGiven()) {
      return;
    }
    results
        .transform(
            "QuestDB: " + name,
            Types.VOID,
            new QuestDbOperatorFactory<R>(
                QuestDbDelivery.of(options, job),
                hasCheckpoints(results.getExecutionEnvironment())))
        .uid("questdb-" + name);
  }

  private static boolean hasCheckpoints(StreamExecutionEnvironment environment) {
    return environment.getCheckpointConfig().isCheckpointingEnabled();
  }
}
