// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.exchange;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.abi.PacketRecordLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.apache.flink.api.common.TaskInfoImpl;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.junit.jupiter.api.Test;

class OwnKeyGroupsTest {
  private static final int PARALLELISM = 2;
  private static final int KEY_GROUPS = 128;

  @Test
  void shouldSayWhosePacketItIsAndWhatToChange() {
    PacketBlock block = packetOfFlow(0);
    int keyGroup = KeyGroups.keyGroup(0, KEY_GROUPS);
    int owner =
        KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup(KEY_GROUPS, PARALLELISM, keyGroup);
    assertThatCode(() -> subtask(owner).require(block)).doesNotThrowAnyException();
    assertThatThrownBy(() -> subtask(1 - owner).require(block))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll(
            "key group %d of %d".formatted(keyGroup, KEY_GROUPS),
            "by flow (%d/%d)".formatted(2 - owner, PARALLELISM),
            "--parallelism",
            "pipeline.max-parallelism");
  }

  private static PacketBlock packetOfFlow(int hash) {
    MemorySegment record =
        MemorySegment.ofArray(new long[(int) PacketRecordLayout.SIZE_BYTES / Long.BYTES]);
    record.set(ValueLayout.JAVA_INT, PacketRecordLayout.FLOW_HASH_OFFSET, hash);
    return PacketBlock.of(new PacketBlockOrigin(1, 1, 0, 0, true), record, 0, 1, PacketLoss.NONE);
  }

  private static OwnKeyGroups subtask(int index) {
    return new OwnKeyGroups(new TaskInfoImpl("by flow", KEY_GROUPS, index, PARALLELISM, 0));
  }
}
