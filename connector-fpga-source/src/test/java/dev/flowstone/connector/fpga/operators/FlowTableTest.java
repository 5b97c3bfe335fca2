// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.operators;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.connector.fpga.operators.FlowTable.Entry;
import dev.flowstone.model.SentRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a search costs is counted in slots passed: a clock would also measure the machine. */
class FlowTableTest {
  /** Nearly as many as a table takes before it grows. */
  private static final int FLOWS = (1 << 15) - 8;

  /** In a table that is half full a search passes half a slot; ten times this is no chance. */
  private static final double MOST_SLOTS_PER_SEARCH = 5;

  private static FlowTable<Integer> table(SentFlows sent) {
    FlowTable<Integer> table = new FlowTable<>();
    for (int flow = 0; flow < FLOWS; flow++) {
      table.add(new Entry<>(sent.flow(flow), 0, flow));
    }
    return table;
  }

  private static double slotsPerSearch(FlowTable<?> table) {
    return (double) table.slotsPassed() / table.count();
  }

  @ParameterizedTest
  @EnumSource
  void shouldPassFewSlotsWhateverIsSent(SentFlows sent) {
    assertThat(slotsPerSearch(table(sent))).isLessThan(MOST_SLOTS_PER_SEARCH);
  }

  @ParameterizedTest
  @EnumSource
  void shouldFindEachFlowByItsRecordAndNoOther(SentFlows sent) {
    FlowTable<Integer> table = table(sent);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment packet = arena.allocate(PacketRecordLayout.SIZE_BYTES, 64);
      for (int flow = 0; flow < FLOWS; flow++) {
        SentRecord.write(packet, 0, sent.flow(flow), 0, 0);
        assertThat(table.find(packet, 0)).isEqualTo(flow);
      }
      packet.set(ValueLayout.JAVA_SHORT, PacketRecordLayout.DESTINATION_PORT_OFFSET, (short) 53);
      assertThat(table.find(packet, 0)).isNull();
    }
  }

  /** As they do when a job is restored: into a table that grows from its smallest size. */
  @Test
  void shouldPassFewSlotsWhileFlowsComeBackInTheOrderOfATable() {
    List<Entry<Integer>> saved = new ArrayList<>();
    table(SentFlows.SCAN_OF_ADDRESSES).forEach(saved::add);
    FlowTable<Integer> restored = new FlowTable<>();
    saved.subList(0, FLOWS / 4).forEach(restored::add);
    assertThat(slotsPerSearch(restored)).isLessThan(MOST_SLOTS_PER_SEARCH);
  }
}
