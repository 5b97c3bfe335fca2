// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.state.CheckpointStorageFactory;
import org.apache.flink.runtime.state.storage.JobManagerCheckpointStorage;

/**
 * Checkpoints in this process's memory: a job that lives no longer than it needs none that does,
 * and one in files would bring back their folder while it is removed. Flows are more than the five
 * megabytes that Flink lets a subtask keep there.
 */
public final class HeldCheckpoints
    implements CheckpointStorageFactory<JobManagerCheckpointStorage> {
  private static final int MOST_BYTES = 128 << 20;

  @Override
  public JobManagerCheckpointStorage createFromConfig(ReadableConfig config, ClassLoader loader) {
    return new JobManagerCheckpointStorage(MOST_BYTES);
  }
}
