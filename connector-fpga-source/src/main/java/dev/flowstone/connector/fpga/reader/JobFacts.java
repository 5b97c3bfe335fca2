// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.offheap.ring.ReaderName;
import dev.flowstone.offheap.ring.RingIdentity;
import java.util.Optional;
import org.apache.flink.api.common.JobInfo;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.connector.source.RichSourceReaderContext;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;

/**
 * What the reader must know of the job, and Flink's public reader context does not tell.
 *
 * @param checkpointing whether checkpoints are taken periodically; assumed where it cannot be known
 * @param subtask which part of the job's keys is this subtask's, if known
 * @param job which job it is, if known
 */
record JobFacts(boolean checkpointing, Optional<Subtask> subtask, Optional<ReaderName.Job> job) {

  /** One of several subtasks, and how many key groups they share. */
  record Subtask(int index, int parallelism, int maxParallelism) {
    KeyGroupRange keyGroups() {
      return KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
          maxParallelism, parallelism, index);
    }
  }

  static JobFacts of(SourceReaderContext context) {
    if (context instanceof RichSourceReaderContext rich) {
      RuntimeContext runtime = rich.getRuntimeContext();
      TaskInfo task = runtime.getTaskInfo();
      return new JobFacts(
          isCheckpointing(runtime),
          Optional.of(
              new Subtask(
                  task.getIndexOfThisSubtask(),
                  task.getNumberOfParallelSubtasks(),
                  task.getMaxNumberOfParallelSubtasks())),
          Optional.of(job(runtime.getJobInfo())));
    }
    return new JobFacts(true, Optional.empty(), Optional.empty());
  }

  private static ReaderName.Job job(JobInfo job) {
    return new ReaderName.Job(job.getJobId().toString(), job.getJobName());
  }

  private static boolean isCheckpointing(RuntimeContext runtime) {
    return !(runtime instanceof StreamingRuntimeContext streaming)
        || CheckpointingOptions.isCheckpointingEnabled(streaming.getJobConfiguration());
  }

  /** How a reader of this job is known to rings. */
  ReaderName readerName(String name) {
    return new ReaderName(name, job);
  }

  /** Whether the tap spreads packets over as many key groups as the job. */
  boolean hasSameKeyGroups(RingIdentity ring) {
    return subtask.isEmpty() || subtask.get().maxParallelism() == ring.maxParallelism();
  }

  /**
   * A ring whose flows belong to other subtasks makes state by flow wrong.
   *
   * @throws IllegalStateException if this is one
   */
  void requireOwnKeyGroups(RingName name, RingIdentity ring) {
    Subtask mine =
        subtask.orElseThrow(
            () -> new IllegalStateException(name + ": nobody knows which subtask reads this ring"));
    if (!hasSameKeyGroups(ring) || !isWithin(mine.keyGroups(), ring)) {
      throw new IllegalStateException(
          String.format(
              "%s: ring %d of %d, filled by %d key groups, does not hold the flows of subtask %d of %d"
                  + " (%d key groups) alone: operators by flow would be wrong. Let the parallelism"
                  + " divide the number of rings of every tap (--ring-count), on one host, with the same"
                  + " maximum parallelism (--max-parallelism, pipeline.max-parallelism); or choose"
                  + " FlowExchange.ALWAYS",
              name,
              ring.ring(),
              ring.ringCount(),
              ring.maxParallelism(),
              mine.index(),
              mine.parallelism(),
              mine.maxParallelism()));
    }
  }

  private static boolean isWithin(KeyGroupRange range, RingIdentity ring) {
    byte[] table = KeyGroups.ringTable(ring.maxParallelism(), ring.ringCount());
    for (int keyGroup = 0; keyGroup < ring.maxParallelism(); keyGroup++) {
      if (Byte.toUnsignedInt(table[keyGroup]) == ring.ring() && !range.contains(keyGroup)) {
        return false;
      }
    }
    return true;
  }
}
