// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.operators;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.connector.fpga.operators.FlowTable.Entry;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
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

  private static final ValueLayout.OfLong ADDRESS =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfShort PORT =
      ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt DESCRIPTOR =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

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
        write(packet, sent.flow(flow));
        assertThat(table.find(packet, 0)).isEqualTo(flow);
      }
      packet.set(PORT, PacketRecordLayout.DESTINATION_PORT_OFFSET, (short) 53);
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

  private static void write(MemorySegment packet, FlowTuple flow) {
    packet.set(ADDRESS, PacketRecordLayout.SOURCE_ADDRESS_OFFSET, flow.sourceHigh());
    packet.set(ADDRESS, PacketRecordLayout.SOURCE_ADDRESS_OFFSET + 8, flow.sourceLow());
    packet.set(ADDRESS, PacketRecordLayout.DESTINATION_ADDRESS_OFFSET, flow.destinationHigh());
    packet.set(ADDRESS, PacketRecordLayout.DESTINATION_ADDRESS_OFFSET + 8, flow.destinationLow());
    packet.set(PORT, PacketRecordLayout.SOURCE_PORT_OFFSET, (short) flow.sourcePort());
    packet.set(PORT, PacketRecordLayout.DESTINATION_PORT_OFFSET, (short) flow.destinationPort());
    packet.set(ValueLayout.JAVA_BYTE, PacketRecordLayout.PROTOCOL_OFFSET, (byte) flow.protocol());
    packet.set(
        DESCRIPTOR,
        PacketRecordLayout.DESCRIPTOR_OFFSET,
        RecordKind.IPV6 << PacketRecordLayout.KIND_SHIFT);
  }
}
