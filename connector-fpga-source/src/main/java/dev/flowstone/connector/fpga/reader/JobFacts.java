// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import java.util.OptionalInt;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.connector.source.RichSourceReaderContext;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;

/**
 * What the reader must know of the job, and Flink's public reader context does not tell.
 *
 * @param checkpointing whether checkpoints are taken periodically; assumed where it cannot be known
 * @param maxParallelism the job's number of key groups, if known
 */
record JobFacts(boolean checkpointing, OptionalInt maxParallelism) {

  static JobFacts of(SourceReaderContext context) {
    if (context instanceof RichSourceReaderContext rich) {
      RuntimeContext runtime = rich.getRuntimeContext();
      int maxParallelism = runtime.getTaskInfo().getMaxNumberOfParallelSubtasks();
      return new JobFacts(isCheckpointing(runtime), OptionalInt.of(maxParallelism));
    }
    return new JobFacts(true, OptionalInt.empty());
  }

  private static boolean isCheckpointing(RuntimeContext runtime) {
    return !(runtime instanceof StreamingRuntimeContext streaming)
        || CheckpointingOptions.isCheckpointingEnabled(streaming.getJobConfiguration());
  }
}
