// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.operators.FlowHarness.Backend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Three times as many flows as memory has room for: the others are in Flink's state. */
@SuppressWarnings("try")
class EvictionTest {
  private static final long MS = 1_000_000;
  private static final long START_NS = 1_700_000_000_000_000_000L;
  private static final int IN_MEMORY = 12_000;
  private static final int FLOWS = 36_000;

  /** They lie on pages of some 8,000. */
  private static final int PART = 3_000;

  private static final FlowRoom ROOM = new FlowRoom(IN_MEMORY, FLOWS);
  private static final Duration LONG = Duration.ofDays(1);
  private static final int MAX_WATERMARKS = 10_000;

  private final List<FlowHarness<FlowRecord>> harnesses = new ArrayList<>();
  private final Map<FlowTuple, Long> sent = new HashMap<>();
  private long checkpoint;

  @AfterEach
  void end() throws Exception {
    for (FlowHarness<FlowRecord> harness : harnesses) {
      harness.close();
    }
  }

  private List<FlowHarness<FlowRecord>> subtasks(
      OperatorSubtaskState saved,
      FlowRoom room,
      Duration idle,
      Backend backend,
      int before,
      int parallelism)
      throws Exception {
    List<FlowHarness<FlowRecord>> subtasks = new ArrayList<>();
    for (int subtask = 0; subtask < parallelism; subtask++) {
      FlowRecords function = new FlowRecords(LONG, idle);
      FlowHarness<FlowRecord> harness =
          FlowHarness.of(
              function,
              KeyedBlockOperator.onBlocks(function, room, new HastyClock()),
              backend,
              parallelism,
              subtask);
      harnesses.add(harness);
      if (saved != null) {
        harness.restore(saved, before);
      }
      harness.open();
      subtasks.add(harness);
    }
    return subtasks;
  }

  private List<FlowHarness<FlowRecord>> begun(Duration idle, Backend backend) throws Exception {
    return subtasks(null, ROOM, idle, backend, 1, 1);
  }

  private OperatorSubtaskState snapshot(List<FlowHarness<FlowRecord>> subtasks) throws Exception {
    checkpoint++;
    return FlowHarness.snapshot(subtasks, checkpoint);
  }

  /** One packet of each flow of a range, in parts for which memory has room. */
  private void give(List<FlowHarness<FlowRecord>> subtasks, int from, int to, long timeNs)
      throws Exception {
    for (int first = from; first < to; first += PART) {
      leaveAlone(subtasks);
      List<List<SentPacket>> parts = new ArrayList<>();
      subtasks.forEach(_ -> parts.add(new ArrayList<>()));
      for (int flow = first; flow < Math.min(to, first + PART); flow++) {
        SentPacket packet = packet(flow, timeNs);
        int keyGroup = SentPacket.keyGroup(packet.flow(), FlowHarness.KEY_GROUPS);
        parts.get(keyGroup * subtasks.size() / FlowHarness.KEY_GROUPS).add(packet);
        sent.merge(packet.flow(), 1L, Long::sum);
      }
      for (int subtask = 0; subtask < subtasks.size(); subtask++) {
        subtasks.get(subtask).give(parts.get(subtask));
        assertThat(subtasks.get(subtask).flows.packetsWithoutRoom()).isZero();
      }
    }
  }

  private static SentPacket packet(int flow, long timeNs) {
    return new SentPacket(SentPacket.flow(flow), timeNs, 100, 2);
  }

  /** Until all is in keyed state, from where it may leave memory. */
  private void leaveAlone(List<FlowHarness<FlowRecord>> subtasks) throws Exception {
    // A page goes there once between checkpoints.
    snapshot(subtasks);
    for (FlowHarness<FlowRecord> subtask : subtasks) {
      for (int i = 0; subtask.flows.changedPages() > 0; i++) {
        assertThat(i).as("watermarks, and pages are still waiting").isLessThan(MAX_WATERMARKS);
        subtask.processWatermark(0);
      }
    }
  }

  private Map<FlowTuple, Long> records(List<FlowHarness<FlowRecord>> subtasks) {
    Map<FlowTuple, Long> packets = new HashMap<>();
    for (FlowHarness<FlowRecord> subtask : subtasks) {
      for (FlowRecord record : subtask.results()) {
        assertThat(packets.put(record.flow(), record.packets())).isNull();
        assertThat(record.bytes()).isEqualTo(100 * record.packets());
      }
    }
    return packets;
  }

  private static long evicted(List<FlowHarness<FlowRecord>> subtasks) {
    return subtasks.stream().mapToLong(subtask -> subtask.flows.flowsEvicted()).sum();
  }

  private static void end(List<FlowHarness<FlowRecord>> subtasks) throws Exception {
    for (FlowHarness<FlowRecord> subtask : subtasks) {
      subtask.processWatermark(Long.MAX_VALUE);
      assertThat(subtask.flows.flowCount()).isZero();
      assertThat(subtask.flows.flowsEvicted()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldFindFlowsAgainThatLeftMemory(Backend backend) throws Exception {
    List<FlowHarness<FlowRecord>> one = begun(LONG, backend);
    give(one, 0, FLOWS, START_NS);
    give(one, 0, FLOWS / 2, START_NS + MS);
    KeyedBlockOperator<?, ?> flows = one.getFirst().flows;
    assertThat(flows.flowCount()).isEqualTo(FLOWS);
    assertThat(flows.flowsEvicted()).isGreaterThanOrEqualTo(FLOWS - IN_MEMORY);
    end(one);
    assertThat(records(one)).isEqualTo(sent);
  }

  /** From 1 to 2 to 1 subtasks: what was in memory of two finds room in one, elsewhere. */
  @ParameterizedTest
  @EnumSource
  void shouldKeepEachFlowThroughCheckpointsAndRescaling(Backend backend) throws Exception {
    List<FlowHarness<FlowRecord>> one = begun(LONG, backend);
    give(one, 0, FLOWS, START_NS);
    OperatorSubtaskState saved = snapshot(one);
    List<FlowHarness<FlowRecord>> two = subtasks(saved, ROOM, LONG, backend, 1, 2);
    assertThat(evicted(two)).isGreaterThanOrEqualTo(FLOWS - 2 * IN_MEMORY);
    snapshot(two);
    give(two, FLOWS / 2, FLOWS, START_NS + MS);
    // All of this is in the checkpoint's stream: more than one subtask has memory for.
    saved = snapshot(two);
    List<FlowHarness<FlowRecord>> again = subtasks(saved, ROOM, LONG, backend, 2, 1);
    assertThat(evicted(again)).isGreaterThanOrEqualTo(FLOWS - IN_MEMORY);
    saved = snapshot(again);
    List<FlowHarness<FlowRecord>> last = subtasks(saved, ROOM, LONG, backend, 1, 1);
    end(last);
    assertThat(records(last)).isEqualTo(sent);
  }

  /** They are told in time, and are no more in the next checkpoint. */
  @ParameterizedTest
  @EnumSource
  void shouldEndRecordsOfFlowsThatLeftMemory(Backend backend) throws Exception {
    List<FlowHarness<FlowRecord>> one = begun(Duration.ofSeconds(1), backend);
    give(one, 0, FLOWS / 2, START_NS);
    give(one, FLOWS / 2, FLOWS, START_NS + 900 * MS);
    assertThat(evicted(one)).isGreaterThanOrEqualTo(FLOWS - IN_MEMORY);
    one.getFirst().processWatermark(START_NS / MS + 1_500);
    Map<FlowTuple, Long> first = records(one);
    assertThat(first).hasSize(FLOWS / 2);
    List<FlowHarness<FlowRecord>> again =
        subtasks(snapshot(one), ROOM, Duration.ofSeconds(1), backend, 1, 1);
    assertThat(again.getFirst().flows.flowCount()).isEqualTo(FLOWS / 2);
    end(again);
    first.putAll(records(again));
    assertThat(first).isEqualTo(sent);
  }

  @Test
  void shouldCountPacketsForWhichThereIsNoRoomAnywhere() throws Exception {
    List<FlowHarness<FlowRecord>> one =
        subtasks(null, new FlowRoom(IN_MEMORY, 2_000), LONG, Backend.HASHMAP, 1, 1);
    FlowHarness<FlowRecord> only = one.getFirst();
    give(one, 0, IN_MEMORY, START_NS);
    leaveAlone(one);
    only.give(
        IntStream.range(IN_MEMORY, 2 * IN_MEMORY)
            .mapToObj(flow -> packet(flow, START_NS))
            .toList());
    assertThat(only.flows.flowCount()).isEqualTo(IN_MEMORY + 2_000);
    assertThat(only.flows.packetsWithoutRoom()).isEqualTo(IN_MEMORY - 2_000);
    assertThatThrownBy(
            () ->
                subtasks(
                    snapshot(one), new FlowRoom(IN_MEMORY, 1_000), LONG, Backend.HASHMAP, 1, 1))
        .hasMessageContaining("room for 12,000 in memory and 1,000 in state: allow more");
  }
}
