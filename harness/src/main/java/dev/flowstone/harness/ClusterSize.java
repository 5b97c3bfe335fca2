// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;

/**
 * How much a cluster in this process may take.
 *
 * @param slots subtasks of a pipeline that run at a time
 * @param networkMebibytes buffers between operators that are not chained
 * @param managedMebibytes memory that Flink manages for state backends and sorting
 */
public record ClusterSize(int slots, int networkMebibytes, int managedMebibytes) {

  void writeTo(Configuration configuration) {
    MemorySize network = MemorySize.ofMebiBytes(networkMebibytes);
    configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, network);
    configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, network);
    configuration.set(
        TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(managedMebibytes));
  }
}
