// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.stages;

import dev.flowstone.blocks.InChainTypeInformation;
import dev.flowstone.blocks.PacketBlock;
import java.time.Duration;
import org.apache.flink.streaming.api.datastream.DataStream;

/** What the stages of a job count, as results that the job sends like others. */
public final class StageReports {
  private StageReports() {}

  /**
   * Reports of all stages of the job, from the source to the sinks: at each multiple of the
   * interval by the clock of the host, and once more when the input has ended. They do not look at
   * the blocks, but stand beside what works on them, so that wherever the job's tasks are one tells
   * of them.
   */
  public static DataStream<StageReport> of(DataStream<PacketBlock> blocks, Duration interval) {
    return blocks
        .transform(
            "Stages",
            new InChainTypeInformation<>(StageReport.class),
            new StageReportOperator(interval.toMillis()))
        .setParallelism(blocks.getParallelism())
        .uid("stages");
  }
}
