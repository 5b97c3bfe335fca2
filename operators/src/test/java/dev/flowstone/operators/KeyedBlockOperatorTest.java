// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.StaleBlockException;
import dev.flowstone.connector.fpga.LostPackets;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.offheap.AnonymousMemory;
import dev.flowstone.offheap.flows.FlowEntry;
import dev.flowstone.offheap.flows.FlowTable;
import dev.flowstone.operators.FlowHarness.Backend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What checkpoints hold, who gets it, and what happens at the bounds. */
@SuppressWarnings("try")
class KeyedBlockOperatorTest {
  private static final int ENTRY_BYTES = FlowEntry.KEY_BYTES + FlowPiece.FORMAT.stateBytes();
  private static final int PER_PAGE = 4_080 / ENTRY_BYTES;
  private static final long MS = 1_000_000;
  private static final long START_NS = 1_700_000_000_000_000_000L;
  private static final int FLOWS = 5_000;

  /** In state, at least: words that are not zero. */
  private static final int LEAST_ENTRY_BYTES = 50;

  private final List<FlowHarness<FlowRecord>> harnesses = new ArrayList<>();
  private final Map<FlowTuple, Long> sent = new HashMap<>();
  private long mappedBytes;

  @BeforeEach
  void begin() {
    mappedBytes = AnonymousMemory.mappedBytes();
  }

  @AfterEach
  void shouldGiveAllMemoryBack() throws Exception {
    for (FlowHarness<FlowRecord> harness : harnesses) {
      harness.close();
    }
    assertThat(AnonymousMemory.mappedBytes()).isEqualTo(mappedBytes);
  }

  private static FlowRecords aDay() {
    return idle(Duration.ofDays(1));
  }

  private static FlowRecords idle(Duration timeout) {
    return new FlowRecords(Duration.ofDays(1), timeout);
  }

  private FlowHarness<FlowRecord> harness(
      FlowRecords function, int mostFlows, Backend backend, int parallelism, int subtask)
      throws Exception {
    FlowHarness<FlowRecord> harness =
        FlowHarness.of(function, mostFlows, backend, parallelism, subtask);
    harnesses.add(harness);
    return harness;
  }

  private FlowHarness<FlowRecord> opened(FlowRecords function, int mostFlows) throws Exception {
    FlowHarness<FlowRecord> harness = harness(function, mostFlows, Backend.HASHMAP, 1, 0);
    harness.open();
    return harness;
  }

  private static SentPacket packet(int flow, long timeNs) {
    return new SentPacket(SentPacket.flow(flow), timeNs, 100, 2);
  }

  /** One packet of each flow of a range to the subtask that has it. */
  private void give(List<FlowHarness<FlowRecord>> subtasks, int from, int to, long timeNs)
      throws Exception {
    give(subtasks, from, to, timeNs, _ -> true);
  }

  private void give(
      List<FlowHarness<FlowRecord>> subtasks, int from, int to, long timeNs, IntPredicate keyGroups)
      throws Exception {
    for (int first = from; first < to; first += 200) {
      List<List<SentPacket>> parts = new ArrayList<>();
      subtasks.forEach(_ -> parts.add(new ArrayList<>()));
      for (int flow = first; flow < Math.min(to, first + 200); flow++) {
        SentPacket packet = packet(flow, timeNs);
        int keyGroup = SentPacket.keyGroup(packet.flow(), FlowHarness.KEY_GROUPS);
        if (keyGroups.test(keyGroup)) {
          parts.get(keyGroup * subtasks.size() / FlowHarness.KEY_GROUPS).add(packet);
          sent.merge(packet.flow(), 1L, Long::sum);
        }
      }
      for (int subtask = 0; subtask < subtasks.size(); subtask++) {
        if (!parts.get(subtask).isEmpty()) {
          subtasks.get(subtask).give(parts.get(subtask));
        }
      }
    }
  }

  private List<FlowHarness<FlowRecord>> restored(
      OperatorSubtaskState saved, Backend backend, int before, int parallelism) throws Exception {
    return restored(Duration.ofDays(1), saved, backend, before, parallelism);
  }

  private List<FlowHarness<FlowRecord>> restored(
      Duration idle, OperatorSubtaskState saved, Backend backend, int before, int parallelism)
      throws Exception {
    List<FlowHarness<FlowRecord>> subtasks = new ArrayList<>();
    for (int subtask = 0; subtask < parallelism; subtask++) {
      FlowHarness<FlowRecord> harness =
          harness(idle(idle), 2 * FLOWS, backend, parallelism, subtask);
      harness.restore(saved, before);
      harness.open();
      subtasks.add(harness);
    }
    return subtasks;
  }

  /** Leaves the flows of most key groups unused until their pages are in keyed state. */
  private void leaveMostAlone(List<FlowHarness<FlowRecord>> subtasks, int flows, long timeNs)
      throws Exception {
    long enough = written(subtasks) + 100L * leastPageBytes(flows);
    for (int i = 0; written(subtasks) < enough; i++) {
      assertThat(i).as("blocks, and pages are still waiting").isLessThan(1_000);
      subtasks.forEach(subtask -> subtask.clock.advanceMs(20));
      give(subtasks, 0, 400, timeNs, keyGroup -> keyGroup % 8 == 0);
    }
  }

  private static long leastPageBytes(int flows) {
    return (long) flows / FlowHarness.KEY_GROUPS * LEAST_ENTRY_BYTES;
  }

  private static long written(List<FlowHarness<FlowRecord>> subtasks) {
    return subtasks.stream().mapToLong(harness -> harness.flows.stateBytesWritten()).sum();
  }

  /**
   * From 1 to 2 to 1 subtasks; each state holds pages of both kinds, of which some changed since.
   */
  @ParameterizedTest
  @EnumSource
  void shouldKeepEachFlowThroughCheckpointsAndRescaling(Backend backend) throws Exception {
    FlowHarness<FlowRecord> first = harness(aDay(), 2 * FLOWS, backend, 1, 0);
    first.open();
    List<FlowHarness<FlowRecord>> one = List.of(first);
    give(one, 0, FLOWS, START_NS);
    FlowHarness.snapshot(one, 1);
    leaveMostAlone(one, FLOWS, START_NS + MS);
    FlowHarness.snapshot(one, 2);
    give(one, 0, 50, START_NS + 2 * MS);
    OperatorSubtaskState saved = FlowHarness.snapshot(one, 3);
    // Nothing comes between a restore and the next checkpoint.
    saved = FlowHarness.snapshot(restored(saved, backend, 1, 2), 1);
    List<FlowHarness<FlowRecord>> two = restored(saved, backend, 2, 2);
    give(two, 0, FLOWS + 300, START_NS + 3 * MS);
    FlowHarness.snapshot(two, 2);
    leaveMostAlone(two, FLOWS, START_NS + 4 * MS);
    saved = FlowHarness.snapshot(two, 3);
    List<FlowHarness<FlowRecord>> again = restored(saved, backend, 2, 1);
    give(again, 0, 10, START_NS + 5 * MS);
    again.getFirst().processWatermark(Long.MAX_VALUE);
    Map<FlowTuple, Long> counted = new HashMap<>();
    for (FlowRecord record : again.getFirst().results()) {
      assertThat(counted.put(record.flow(), record.packets())).isNull();
      assertThat(record.bytes()).isEqualTo(100 * record.packets());
      assertThat(record.firstNs()).isBetween(START_NS, START_NS + 3 * MS);
      assertThat(record.tcpFlags()).isEqualTo(2);
    }
    assertThat(counted).isEqualTo(sent);
  }

  /** What was emitted before a checkpoint must not come back with it. */
  @ParameterizedTest
  @EnumSource
  void shouldNotRestoreWhatHasLeft(Backend backend) throws Exception {
    FlowRecords seconds = new FlowRecords(Duration.ofDays(1), Duration.ofMillis(10));
    FlowHarness<FlowRecord> first = harness(seconds, 2 * FLOWS, backend, 1, 0);
    first.open();
    give(List.of(first), 0, 2_000, START_NS);
    FlowHarness.snapshot(List.of(first), 1);
    leaveMostAlone(List.of(first), 2_000, START_NS + 500 * MS);
    FlowHarness.snapshot(List.of(first), 2);
    first.processWatermark(START_NS / MS + 400);
    assertThat(first.results()).hasSize(2_000);
    long staying = first.flows.flowCount();
    assertThat(staying).isBetween(30L, 80L);
    OperatorSubtaskState saved = FlowHarness.snapshot(List.of(first), 3);
    FlowHarness<FlowRecord> again = restored(saved, backend, 1, 1).getFirst();
    again.processWatermark(Long.MAX_VALUE);
    assertThat(again.results()).hasSize((int) staying);
  }

  @Test
  void shouldWriteWhatChangedAndNoMore() throws Exception {
    FlowHarness<FlowRecord> first = harness(aDay(), 2 * FLOWS, Backend.HASHMAP, 1, 0);
    first.open();
    List<FlowHarness<FlowRecord>> one = List.of(first);
    give(one, 0, FLOWS, START_NS);
    FlowHarness.snapshot(one, 1);
    leaveMostAlone(one, FLOWS, START_NS + MS);
    long before = first.flows.stateBytesWritten();
    FlowHarness.snapshot(one, 2);
    // Of 128 key groups 16 have one page each that changed; a few had not settled.
    assertThat(first.flows.stateBytesWritten() - before)
        .isBetween(16L * leastPageBytes(FLOWS), 40L * FlowTable.PAGE_BYTES);
  }

  /** Sends a watermark each 100 ms until a checkpoint writes nothing. Returns their number. */
  private static int leaveAllAlone(FlowHarness<FlowRecord> harness, long watermarkMs)
      throws Exception {
    int watermarks = 0;
    for (long before = -1; before < harness.flows.stateBytesWritten(); watermarks++) {
      assertThat(watermarks).as("watermarks, and pages are still waiting").isLessThan(100);
      harness.clock.advanceMs(100);
      harness.processWatermark(watermarkMs);
      if (watermarks % 5 == 4) {
        before = harness.flows.stateBytesWritten();
        FlowHarness.snapshot(List.of(harness), 100 + watermarks);
      }
    }
    return watermarks;
  }

  /** 512 pages, of which few go with each block; no packet comes any more. */
  @Test
  void shouldPutPagesIntoKeyedStateWhereNoPacketComes() throws Exception {
    FlowHarness<FlowRecord> first = harness(aDay(), 30_000, Backend.HASHMAP, 1, 0);
    first.open();
    give(List.of(first), 0, 25_000, START_NS);
    FlowHarness.snapshot(List.of(first), 1);
    FlowHarness.snapshot(List.of(first), 2);
    assertThat(leaveAllAlone(first, START_NS / MS)).isLessThan(40);
    assertThat(first.flows.pagesWaiting()).isZero();
    assertThat(first.results()).isEmpty();
  }

  /** As when a savepoint comes right after a checkpoint. */
  @Test
  void shouldNotTakeForLeftAloneWhatWasUsedAMomentAgo() throws Exception {
    FlowHarness<FlowRecord> first = opened(aDay(), 2 * FLOWS);
    List<FlowHarness<FlowRecord>> one = List.of(first);
    give(one, 0, 200, START_NS);
    FlowHarness.snapshot(one, 1);
    FlowHarness.snapshot(one, 2);
    long before = written(one);
    watermarks(first, 6, 15);
    assertThat(written(one)).isEqualTo(before);
    watermarks(first, 6, 100);
    assertThat(written(one)).isGreaterThan(before);
  }

  private static void watermarks(FlowHarness<FlowRecord> harness, int count, long intervalMs)
      throws Exception {
    for (int i = 0; i < count; i++) {
      harness.clock.advanceMs(intervalMs);
      harness.processWatermark(START_NS / MS);
    }
  }

  @Test
  void shouldWakeWhatWasRestored() throws Exception {
    Duration idle = Duration.ofMillis(50);
    FlowHarness<FlowRecord> first = opened(idle(idle), 2 * FLOWS);
    give(List.of(first), 0, 100, START_NS);
    OperatorSubtaskState saved = FlowHarness.snapshot(List.of(first), 1);
    FlowHarness<FlowRecord> again = restored(idle, saved, Backend.HASHMAP, 1, 1).getFirst();
    again.processWatermark(START_NS / MS + 49);
    assertThat(again.results()).isEmpty();
    again.processWatermark(START_NS / MS + 50);
    assertThat(again.results()).hasSize(100);
  }

  /** Pages are in keyed state; half of the flows of each leave, and no packet comes meanwhile. */
  @ParameterizedTest
  @EnumSource
  void shouldNotRestoreWhatLeftAPageThatStays(Backend backend) throws Exception {
    Duration idle = Duration.ofMillis(10);
    FlowHarness<FlowRecord> first = harness(idle(idle), 2 * FLOWS, backend, 1, 0);
    first.open();
    give(List.of(first), 0, 1_000, START_NS);
    give(List.of(first), 1_000, 2_000, START_NS + 500 * MS);
    leaveAllAlone(first, START_NS / MS - 1);
    first.processWatermark(START_NS / MS + 100);
    assertThat(first.results()).hasSize(1_000);
    OperatorSubtaskState saved = FlowHarness.snapshot(List.of(first), 1_000);
    FlowHarness<FlowRecord> again = restored(idle, saved, backend, 1, 1).getFirst();
    again.processWatermark(Long.MAX_VALUE);
    assertThat(again.results())
        .hasSize(1_000)
        .allMatch(record -> record.firstNs() == START_NS + 500 * MS);
  }

  private static List<FlowTuple> flowsOfOneKeyGroup(int count, int keyGroup) {
    return IntStream.iterate(0, flow -> flow + 1)
        .mapToObj(SentPacket::flow)
        .filter(flow -> SentPacket.keyGroup(flow, FlowHarness.KEY_GROUPS) == keyGroup)
        .limit(count)
        .toList();
  }

  private static List<SentPacket> packets(List<FlowTuple> flows, long timeNs) {
    return flows.stream().map(flow -> new SentPacket(flow, timeNs, 100, 2)).toList();
  }

  /** So many flows fill a page, so that a flow's second piece is on the next. */
  @Test
  void shouldSaveAPieceThatIsNotOnThePageOfTheFirst() throws Exception {
    Duration idle = Duration.ofMillis(10);
    FlowHarness<FlowRecord> first = opened(idle(idle), 2 * FLOWS);
    List<FlowTuple> flows = flowsOfOneKeyGroup(PER_PAGE, 0);
    first.give(packets(flows, START_NS));
    first.give(packets(flows.subList(0, 1), START_NS + 100 * MS));
    leaveAllAlone(first, START_NS / MS - 1);
    first.give(packets(flows.subList(0, 1), START_NS + 99 * MS));
    OperatorSubtaskState saved = FlowHarness.snapshot(List.of(first), 1_000);
    FlowHarness<FlowRecord> again = restored(idle, saved, Backend.HASHMAP, 1, 1).getFirst();
    again.processWatermark(Long.MAX_VALUE);
    assertThat(again.results())
        .hasSize(PER_PAGE + 1)
        .filteredOn(record -> record.packets() == 2)
        .extracting(FlowRecord::firstNs)
        .containsExactly(START_NS + 99 * MS);
  }

  /** Two key groups; flows of one leave all but one on each page, and the other needs pages. */
  @Test
  void shouldCountPacketsThatFindNoPage() throws Exception {
    Duration idle = Duration.ofMillis(10);
    FlowHarness<FlowRecord> first = harness(idle(idle), 10 * PER_PAGE, Backend.HASHMAP, 64, 0);
    first.open();
    List<FlowTuple> flows = flowsOfOneKeyGroup(10 * PER_PAGE, 0);
    for (int i = 0; i < flows.size(); i++) {
      long timeNs = i % PER_PAGE == 0 ? START_NS + 500 * MS : START_NS;
      first.give(packets(flows.subList(i, i + 1), timeNs));
    }
    first.processWatermark(START_NS / MS + 100);
    assertThat(first.flows.flowCount()).isEqualTo(10);
    first.give(packets(flowsOfOneKeyGroup(300, 1), START_NS + 500 * MS));
    // 15 pages in all.
    assertThat(first.flows.flowCount()).isEqualTo(10 + 5 * PER_PAGE);
    assertThat(first.flows.packetsWithoutRoom()).isEqualTo(300 - 5 * PER_PAGE);
    assertThat(first.flows.packetsWithoutPage()).isEqualTo(300 - 5 * PER_PAGE);
  }

  /** What is in its memory by now is another packet, of whatever key group. */
  @Test
  void shouldSayThatABlockIsStaleBeforeItBlamesItsKeyGroup() throws Exception {
    FlowHarness<FlowRecord> first = harness(aDay(), 10, Backend.HASHMAP, 64, 0);
    first.open();
    PacketBlock block = SentPacket.block(packets(flowsOfOneKeyGroup(1, 5), START_NS));
    PacketBlock stale =
        PacketBlock.borrowed(block.origin(), block.segment(), 0, 1, PacketLoss.NONE, _ -> false);
    assertThatThrownBy(() -> first.processElement(new StreamRecord<>(stale, 0)))
        .isInstanceOf(StaleBlockException.class);
    assertThatThrownBy(() -> first.processElement(new StreamRecord<>(block, 0)))
        .hasMessageContaining("a packet of key group 5 came");
  }

  @Test
  void shouldRefuseTheStateOfAnotherFunction() throws Exception {
    FlowHarness<FlowRecord> first = opened(aDay(), 10);
    give(List.of(first), 0, 5, START_NS);
    OperatorSubtaskState saved = first.snapshot(1, 1);
    FlowHarness<Long> other = FlowHarness.of(new CountingFunction(), 10, Backend.HASHMAP, 1, 0);
    try {
      assertThatThrownBy(() -> other.initializeState(saved))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("function 'flow records' version 2 with 48 bytes")
          .hasMessageContaining("function 'count' version 3 with 8 bytes");
    } finally {
      other.close();
    }
  }

  @Test
  void shouldRunTheSmallestFunction() throws Exception {
    FlowHarness<Long> harness = FlowHarness.of(new CountingFunction(), 10, Backend.HASHMAP, 1, 0);
    try {
      harness.open();
      harness.give(List.of(packet(1, START_NS), packet(2, START_NS), packet(1, START_NS)));
      harness.give(List.of(packet(1, START_NS)));
      harness.processWatermark(Long.MAX_VALUE);
      assertThat(harness.results()).containsExactlyInAnyOrder(3L, 1L);
    } finally {
      harness.close();
    }
  }

  /** Before a barrier, and where none comes any more. */
  @Test
  void shouldLetAFunctionSendOnWhatItKeepsElsewhere() throws Exception {
    try (FlowHarness<Tuple2<Integer, Long>> harness =
        FlowHarness.of(new PartialSums(), 10, Backend.HASHMAP, 1, 0)) {
      harness.open();
      harness.give(List.of(packet(1, START_NS), packet(1, START_NS)));
      assertThat(harness.results()).isEmpty();
      harness.prepareSnapshotPreBarrier(1);
      assertThat(harness.results()).extracting(sum -> sum.f1).containsExactly(2L);
      harness.give(List.of(packet(1, START_NS)));
      harness.flows.finish();
      assertThat(harness.results()).extracting(sum -> sum.f1).containsExactly(1L);
    }
  }

  @Test
  void shouldCountPacketsWithoutRoom() throws Exception {
    FlowHarness<FlowRecord> first = opened(aDay(), 10);
    give(List.of(first), 0, 15, START_NS);
    give(List.of(first), 0, 15, START_NS);
    assertThat(first.flows.packetsWithoutRoom()).isEqualTo(10);
    assertThat(first.flows.packetsWithoutPage()).isZero();
    first.processWatermark(Long.MAX_VALUE);
    assertThat(first.results()).hasSize(10).allMatch(record -> record.packets() == 2);
    assertThat(first.counter("packets"))
        .isEqualTo(first.counter("packetsOut") + first.flows.packetsWithoutRoom());
  }

  @Test
  void shouldEndLongFlowsAtDifferentTimes() throws Exception {
    FlowHarness<FlowRecord> first =
        opened(new FlowRecords(Duration.ofMillis(400), Duration.ofMillis(400)), 1_000);
    give(List.of(first), 0, 500, START_NS);
    TreeSet<Integer> leaving = new TreeSet<>();
    for (int ms = 0; ms < 400; ms += 100) {
      first.processWatermark(START_NS / MS + ms + 99);
      leaving.add(first.results().size());
    }
    assertThat(leaving).allMatch(records -> records > 60 && records < 190);
  }

  @Test
  void shouldTellALossOnce() throws Exception {
    FlowHarness<FlowRecord> first = opened(aDay(), 10);
    PacketBlock block = SentPacket.block(List.of(packet(1, START_NS)));
    first.processElement(new StreamRecord<>(block.withLossBefore(new PacketLoss(3, 4)), 0));
    assertThat(first.getSideOutput(LostPackets.TAG))
        .containsExactly(new StreamRecord<>(new LostPackets(START_NS, 7, 3, 4), START_NS / MS));
  }
}
