// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.offheap.AnonymousMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Bounds, times, several entries of a flow, and what somebody can do who chooses flows. */
class FlowTableTest {
  private static final int KEY_GROUPS = 128;
  private static final int MILLION = 1_000_000;

  /** Entries of 1,024 bytes: four on each page. */
  private static final int LARGE = 1_024 - FlowEntry.KEY_BYTES;

  private final List<FlowTable> tables = new ArrayList<>();
  private long mappedBytes;

  @BeforeEach
  void begin() {
    mappedBytes = AnonymousMemory.mappedBytes();
  }

  @AfterEach
  void shouldHaveGivenAllMemoryBack() {
    tables.forEach(FlowTable::close);
    assertThat(AnonymousMemory.mappedBytes()).isEqualTo(mappedBytes);
  }

  private FlowTable table(int stateBytes, int mostFlows, int keyGroups) {
    FlowTable table =
        new FlowTable(new FlowTableSize(stateBytes, mostFlows), 0, keyGroups, keyGroups);
    tables.add(table);
    return table;
  }

  @Test
  void shouldBeginEntriesWithCacheLinesWhereThatCostsNoRoom() {
    assertThat(new FlowTableSize(888, 1).entryBytes()).isEqualTo(960);
    assertThat(new FlowTableSize(21, 1).entryBytes()).isEqualTo(64);
    assertThat(new FlowTableSize(40, 1).entryBytes()).isEqualTo(80);
  }

  static FlowTuple flow(int number) {
    return FlowTuple.ipv4(number, 0x0b00_0001, 1_024, 443, 6);
  }

  static long[] add(FlowTable table, int from, int to) {
    List<FlowTuple> flows = new ArrayList<>();
    for (int number = from; number < to; number++) {
      flows.add(flow(number));
    }
    FlowRecords packets = FlowRecords.of(flows);
    long[] entries = new long[flows.size()];
    table.findOrAdd(packets.records(), packets.at(), flows.size(), entries);
    return entries;
  }

  /** A table sees no more of the flow hash than what the record says, whoever chose the tuple. */
  private double slotsPassedByAMillion(IntUnaryOperator flowHash) {
    FlowTable table = table(8, MILLION, KEY_GROUPS);
    FlowRecords packets = FlowRecords.of(1_000);
    long[] entries = new long[1_000];
    for (int first = 0; first < MILLION; first += 1_000) {
      for (int i = 0; i < 1_000; i++) {
        packets.write(i, flow(first + i), flowHash.applyAsInt(first + i));
      }
      assertThat(table.findOrAdd(packets.records(), packets.at(), 1_000, entries)).isZero();
    }
    assertThat(table.flows()).isEqualTo(MILLION);
    return (double) table.slotsPassed() / MILLION;
  }

  @Test
  @Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
  void shouldPassAsFewSlotsWhenAMillionFlowsShareOneHash() {
    SplittableRandom random = new SplittableRandom(1);
    double byChance = slotsPassedByAMillion(_ -> random.nextInt());
    assertThat(byChance).isBetween(0.05, 1.0);
    assertThat(slotsPassedByAMillion(_ -> 0x1234_5678)).isLessThan(2 * byChance + 0.1);
  }

  @Test
  void shouldTellWhichPacketsFindNoRoom() {
    FlowTable table = table(8, 100, 1);
    add(table, 0, 90);
    FlowRecords packets = FlowRecords.of(List.of(flow(5), flow(200), flow(200), flow(89)));
    add(table, 100, 110);
    long[] entries = new long[4];
    assertThat(table.findOrAdd(packets.records(), packets.at(), 4, entries)).isEqualTo(2);
    assertThat(entries[1]).isEqualTo(FlowTable.NO_ROOM).isEqualTo(entries[2]);
    assertThat(table.flows()).isEqualTo(100);
    table.remove(entries[0]);
    assertThat(table.findOrAdd(packets.records(), packets.at(), 2, entries)).isEqualTo(1);
  }

  /** As when most flows of busy key groups leave, and one of each page stays. */
  @Test
  void shouldTellApartWhatFindsNoFlowsPlaceAndWhatNoPage() {
    FlowTable table = table(LARGE, 100, 2);
    long[] entries = addToGroup(table, 0, 0, 100);
    assertThat(addToGroup(table, 1, 100, 101)).containsExactly(FlowTable.NO_ROOM);
    assertThat(table.packetsWithoutPage()).isZero();
    for (int i = 0; i < entries.length; i++) {
      if (i % 4 != 0) {
        table.remove(entries[i]);
      }
    }
    // 25 of 34 pages have one flow each.
    long[] others = addToGroup(table, 1, 100, 140);
    assertThat(Arrays.stream(others).filter(entry -> entry != FlowTable.NO_ROOM)).hasSize(9 * 4);
    assertThat(table.packetsWithoutPage()).isEqualTo(4);
    assertThat(table.flows()).isEqualTo(25 + 36);
  }

  private static long[] addToGroup(FlowTable table, int group, int from, int to) {
    FlowRecords packets = FlowRecords.of(to - from);
    int hash = 0;
    for (int i = 0; i < to - from; hash++) {
      if (KeyGroups.keyGroup(hash, 2) == group) {
        packets.write(i, flow(from + i), hash);
        i++;
      }
    }
    long[] entries = new long[to - from];
    table.findOrAdd(packets.records(), packets.at(), entries.length, entries);
    return entries;
  }

  /** Key groups that are full one after another, as when somebody chooses flows. */
  @Test
  void shouldTakeOnTheHeapWhatItsFlowsNeedNow() {
    FlowTable table = table(8, 10_000, KEY_GROUPS);
    for (int round = 0; round < 50; round++) {
      FlowRecords packets = FlowRecords.of(10_000);
      for (int i = 0; i < 10_000; i++) {
        packets.write(i, flow(i), round);
      }
      long[] entries = new long[10_000];
      assertThat(table.findOrAdd(packets.records(), packets.at(), 10_000, entries)).isZero();
      assertThat(table.indexBytes()).isLessThan(10_000 * 32 + KEY_GROUPS * 128);
      for (long entry : entries) {
        table.remove(entry);
      }
      assertThat(table.indexBytes()).isEqualTo(KEY_GROUPS * 128);
    }
  }

  @Test
  void shouldGiveThePagesOfOneKeyGroupToAnother() {
    FlowTable table = table(LARGE, 1_000, KEY_GROUPS);
    for (int round = 0; round < 20; round++) {
      FlowRecords packets = FlowRecords.of(1_000);
      for (int i = 0; i < 1_000; i++) {
        packets.write(i, flow(i), round);
      }
      long[] entries = new long[1_000];
      assertThat(table.findOrAdd(packets.records(), packets.at(), 1_000, entries)).isZero();
      assertThat(table.usedBytes()).isEqualTo(250 * FlowTable.PAGE_BYTES);
      for (long entry : entries) {
        table.remove(entry);
      }
    }
    assertThat(table.usedBytes()).isZero();
  }

  @Test
  void shouldRefuseTheFlowsOfOtherSubtasks() {
    FlowTable table = new FlowTable(new FlowTableSize(8, 10), 64, 64, KEY_GROUPS);
    tables.add(table);
    assertThatThrownBy(() -> add(table, 0, 50))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has 64 to 127")
        .hasMessageContaining("FlowExchange.blocksByFlow");
  }

  @Test
  void shouldLookAtNoPageBeforeItsTime() {
    FlowTable table = table(LARGE, 8, 1);
    long[] entries = add(table, 0, 8);
    table.wakeAt(entries[0], 10);
    table.wakeAt(entries[7], 20);
    List<Long> seen = new ArrayList<>();
    FlowWaking later =
        entry -> {
          seen.add(entry);
          return 30;
        };
    table.wake(9, later);
    assertThat(seen).isEmpty();
    table.wake(19, later);
    assertThat(seen).containsExactly(entries[0], entries[1], entries[2], entries[3]);
    seen.clear();
    table.wake(29, later);
    assertThat(seen).containsExactly(entries[4], entries[5], entries[6], entries[7]);
    seen.clear();
    table.wake(30, _ -> FlowWaking.REMOVE);
    assertThat(table.flows()).isZero();
  }

  @Test
  void shouldKeepSeveralEntriesOfOneFlow() {
    FlowTable table = table(8, 200, 1);
    long[] entries = add(table, 0, 100);
    long second = table.addBeside(entries[3]);
    long third = table.addBeside(entries[3]);
    add(table, 100, 150);
    assertThat(entriesOf(table, entries[3])).containsExactly(entries[3], second, third);
    assertThat(entriesOf(table, entries[4])).containsExactly(entries[4]);
    table.remove(entries[3]);
    assertThat(entriesOf(table, add(table, 3, 4)[0])).containsExactly(second, third);
  }

  /** Flows of a hash that wraps round the end of the index, in some of these. */
  @Test
  void shouldFindTheFirstEntryOfAFlowWhileTheIndexGrows() {
    for (int first = 0; first < 40_000; first += 100) {
      FlowTable table = table(8, 100, 1);
      long entry = add(table, first, first + 1)[0];
      List<Long> before = List.of(entry, table.addBeside(entry), table.addBeside(entry));
      List<FlowTuple> flows = new ArrayList<>();
      for (int number = first; number < first + 97; number++) {
        flows.add(flow(number));
        flows.add(flow(first));
      }
      FlowRecords packets = FlowRecords.of(flows);
      long[] entries = new long[flows.size()];
      assertThat(table.findOrAdd(packets.records(), packets.at(), flows.size(), entries)).isZero();
      for (int i = 1; i < entries.length; i += 2) {
        assertThat(entries[i]).isEqualTo(entry);
      }
      assertThat(entriesOf(table, entry)).isEqualTo(before);
    }
  }

  private static List<Long> entriesOf(FlowTable table, long first) {
    List<Long> entries = new ArrayList<>();
    for (long each = first; each != FlowTable.NONE; each = table.nextOf(each)) {
      entries.add(each);
    }
    return entries;
  }

  /** A cache has few lines for addresses whose lower bits are the same. */
  @Test
  void shouldBeginEntriesOfAKilobyteAtAllLinesOfAPageAlike() {
    FlowTable table = table(1_024 - FlowEntry.KEY_BYTES, 4 * 64, 1);
    int[] beginnings = new int[64];
    for (long entry : add(table, 0, 4 * 64)) {
      beginnings[(int) (entry / 64 % 64)]++;
    }
    assertThat(beginnings).containsOnly(4);
  }

  @Test
  void shouldRefuseEntriesLongerThanAPage() {
    assertThatThrownBy(() -> new FlowTableSize(4_057, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("4056");
    assertThat(new FlowTableSize(4_056, 1).entryBytes()).isEqualTo(FlowTable.PAGE_BYTES);
  }
}
