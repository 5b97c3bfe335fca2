// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.offheap.flows.FlowTableSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.junit.jupiter.api.Test;

/** What is the default fits what is configured, as docs/deployment.md works it out. */
class KeyedBlocksTest {
  private static final Path CONFIGURATION = Path.of("../flink-conf/config.yaml");
  private static final int SLOTS = 2;
  private static final MemorySize BLOCKS_OF_ONE_SLOT = MemorySize.ofMebiBytes(32);
  private static final int KEY_GROUPS = 128;

  @Test
  void shouldFitTheMemoryThatFlinkIsTold() throws IOException {
    FlowTableSize table = FlowRoom.USUAL.of(FlowPiece.FORMAT);
    long neededBytes = SLOTS * (BLOCKS_OF_ONE_SLOT.getBytes() + table.mostBytes(KEY_GROUPS));
    assertThat(neededBytes).isBetween(100L << 20, configured().getBytes());
  }

  private static MemorySize configured() throws IOException {
    String key = TaskManagerOptions.TASK_OFF_HEAP_MEMORY.key() + ": ";
    return Files.readAllLines(CONFIGURATION).stream()
        .filter(line -> line.startsWith(key))
        .map(line -> MemorySize.parse(line.substring(key.length())))
        .findFirst()
        .orElseThrow();
  }
}
