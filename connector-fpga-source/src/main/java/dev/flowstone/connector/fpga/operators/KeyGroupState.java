// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.operators;

import dev.flowstone.model.KeyGroups;
import java.util.Arrays;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;

/**
 * State of an operator on blocks that Flink keeps by key group: the operator writes what it has of
 * a group under any one key of it, and Flink brings it to whoever has the group later.
 */
public record KeyGroupState(KeyGroupRange mine, int maxParallelism) {

  /** Of the subtask that asks. */
  public static KeyGroupState of(TaskInfo task) {
    int maxParallelism = task.getMaxNumberOfParallelSubtasks();
    KeyGroupRange mine =
        KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
            maxParallelism, task.getNumberOfParallelSubtasks(), task.getIndexOfThisSubtask());
    return new KeyGroupState(mine, maxParallelism);
  }

  public int keyGroupOf(int flowHash) {
    return KeyGroups.keyGroup(flowHash, maxParallelism);
  }

  /** For each of this subtask's key groups the first key that comes along. */
  public int[] someKeys() {
    int[] found = new int[mine.getNumberOfKeyGroups()];
    Arrays.fill(found, -1);
    int missing = found.length;
    for (int key = 0; missing > 0; key++) {
      int index = keyGroupOf(key) - mine.getStartKeyGroup();
      if (index >= 0 && index < found.length && found[index] < 0) {
        found[index] = key;
        missing--;
      }
    }
    return found;
  }

  /**
   * As keyBy would, but without sending the blocks anywhere: they are where their flows belong. The
   * operator chooses keys itself, so that of the selector is never asked for.
   */
  @SuppressWarnings("unchecked")
  public static void keep(SingleOutputStreamOperator<?> results) {
    OneInputTransformation<?, ?> transformation =
        (OneInputTransformation<?, ?>) results.getTransformation();
    transformation.setStateKeySelector(_ -> 0);
    transformation.setStateKeyType(Types.INT);
  }
}
