// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.offheap.flows.FlowEntry;
import dev.flowstone.offheap.flows.FlowTable;
import dev.flowstone.offheap.flows.FlowWaking;
import dev.flowstone.operators.FlowHarness.Backend;
import dev.flowstone.operators.ruled.RuledBlock;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** State of a function that has another number of bytes of each flow than when it was saved. */
@SuppressWarnings("try")
class ResizedStateTest {
  private static final long START_NS = 1_700_000_000_000_000_000L;
  private static final int FLOWS = 3_000;

  /** Packed, with the 23 flows of a key group: 5 words of each are not zero. */
  private static final int LEAST_PAGE_BYTES = 900;

  private static final int SMALL = 8;
  private static final int LARGE = 1_700;

  private final List<FlowHarness<Counted>> harnesses = new ArrayList<>();
  private final Map<FlowTuple, Long> sent = new HashMap<>();

  /** What was counted of a flow in its first bytes, and in its last. */
  record Counted(FlowTuple flow, long atBegin, long atEnd) {}

  /** Packets of each flow, in the first eight bytes and in the last; told at the end of time. */
  private static final class CountingTwice implements FlowFunction<Counted> {
    private static final long serialVersionUID = 1L;

    private final FlowStateFormat format;
    private transient FlowContext<Counted> context;

    CountingTwice(FlowStateFormat format) {
      this.format = format;
    }

    @Override
    public FlowStateFormat format() {
      return format;
    }

    @Override
    public TypeInformation<Counted> resultType() {
      return TypeInformation.of(Counted.class);
    }

    @Override
    public void open(FlowContext<Counted> opened) {
      context = opened;
    }

    private long begin(long entry) {
      return entry + context.stateOffset();
    }

    private long end(long entry) {
      return begin(entry) + format.stateBytes() - Long.BYTES;
    }

    private long count(long at) {
      return context.table().memory().get(ValueLayout.JAVA_LONG_UNALIGNED, at);
    }

    @Override
    public void update(RuledBlock ruled, long[] entries) {
      MemorySegment memory = context.table().memory();
      for (int i = 0; i < ruled.packets().count(); i++) {
        assertThat(entries[i]).isNotEqualTo(FlowTable.NO_ROOM);
        memory.set(
            ValueLayout.JAVA_LONG_UNALIGNED, begin(entries[i]), count(begin(entries[i])) + 1);
        if (format.stateBytes() > SMALL) {
          memory.set(ValueLayout.JAVA_LONG_UNALIGNED, end(entries[i]), count(end(entries[i])) + 1);
        }
      }
    }

    /** At the end of time, of what asked to be looked at: that is what was restored. */
    @Override
    public void advance(long earliestNs) {
      if (earliestNs == Long.MAX_VALUE) {
        context.table().wake(earliestNs - 1, this::tell);
      }
    }

    private long tell(long entry) {
      FlowTuple flow = FlowEntry.tuple(context.table().memory(), entry);
      context.emit(new Counted(flow, count(begin(entry)), count(end(entry))), 0);
      return FlowWaking.REMOVE;
    }
  }

  @AfterEach
  void end() throws Exception {
    for (FlowHarness<Counted> harness : harnesses) {
      harness.close();
    }
  }

  private static FlowStateFormat format(int stateBytes, boolean mayResize) {
    return new FlowStateFormat("count twice", 1, stateBytes, mayResize);
  }

  /** The subtasks of a function, as they go on from a state or, where there is none, begin. */
  private List<FlowHarness<Counted>> subtasks(
      FlowStateFormat format,
      Backend backend,
      int parallelism,
      OperatorSubtaskState saved,
      int before)
      throws Exception {
    List<FlowHarness<Counted>> subtasks = new ArrayList<>();
    for (int subtask = 0; subtask < parallelism; subtask++) {
      FlowHarness<Counted> harness =
          FlowHarness.of(new CountingTwice(format), 2 * FLOWS, backend, parallelism, subtask);
      harnesses.add(harness);
      if (saved != null) {
        harness.restore(saved, before);
      }
      harness.open();
      subtasks.add(harness);
    }
    return subtasks;
  }

  /** One packet of each flow up to there. */
  private void give(List<FlowHarness<Counted>> subtasks, int flows) throws Exception {
    for (int first = 0; first < flows; first += 200) {
      List<List<SentPacket>> parts = new ArrayList<>();
      subtasks.forEach(_ -> parts.add(new ArrayList<>()));
      for (int number = first; number < first + 200; number++) {
        FlowTuple flow = SentPacket.flow(number);
        int keyGroup = SentPacket.keyGroup(flow, FlowHarness.KEY_GROUPS);
        parts
            .get(keyGroup * subtasks.size() / FlowHarness.KEY_GROUPS)
            .add(new SentPacket(flow, START_NS, 100, 0));
        sent.merge(flow, 1L, Long::sum);
      }
      for (int subtask = 0; subtask < subtasks.size(); subtask++) {
        if (!parts.get(subtask).isEmpty()) {
          subtasks.get(subtask).give(parts.get(subtask));
        }
      }
    }
  }

  /** Returns state with some pages in keyed state, of which some have changed since. */
  private OperatorSubtaskState saved(List<FlowHarness<Counted>> subtasks) throws Exception {
    give(subtasks, FLOWS);
    FlowHarness.snapshot(subtasks, 1);
    FlowHarness.snapshot(subtasks, 2);
    long before = written(subtasks);
    for (int i = 0; written(subtasks) < before + 60L * LEAST_PAGE_BYTES; i++) {
      assertThat(i).as("watermarks, and pages are still waiting").isLessThan(1_000);
      for (FlowHarness<Counted> each : subtasks) {
        each.clock.advanceMs(20);
        each.processWatermark(-1);
      }
    }
    give(subtasks, 400);
    return FlowHarness.snapshot(subtasks, 3);
  }

  private static long written(List<FlowHarness<Counted>> subtasks) {
    return subtasks.stream().mapToLong(harness -> harness.flows.stateBytesWritten()).sum();
  }

  private static Map<FlowTuple, Counted> end(List<FlowHarness<Counted>> subtasks) throws Exception {
    Map<FlowTuple, Counted> counted = new HashMap<>();
    for (FlowHarness<Counted> each : subtasks) {
      each.processWatermark(Long.MAX_VALUE);
      for (Counted flow : each.results()) {
        assertThat(counted.put(flow.flow(), flow)).as("%s a second time", flow).isNull();
      }
    }
    return counted;
  }

  /**
   * From 1 to 2 to 1 subtasks; each state holds pages of both kinds, of which some changed since.
   */
  @ParameterizedTest
  @EnumSource
  void shouldGrowAndShrink(Backend backend) throws Exception {
    FlowStateFormat small = format(SMALL, true);
    FlowStateFormat large = format(LARGE, true);
    OperatorSubtaskState saved = saved(subtasks(small, backend, 1, null, 0));
    Map<FlowTuple, Long> sentToSmall = Map.copyOf(sent);

    // Nothing comes between a restore and the next checkpoint.
    saved = FlowHarness.snapshot(subtasks(large, backend, 2, saved, 1), 1);
    saved = saved(subtasks(large, backend, 2, saved, 2));
    assertThat(end(subtasks(large, backend, 1, saved, 2)))
        .hasSize(FLOWS)
        .allSatisfy(
            (flow, counted) -> {
              assertThat(counted.atBegin()).isEqualTo(sent.get(flow));
              assertThat(counted.atEnd()).isEqualTo(sent.get(flow) - sentToSmall.get(flow));
            });

    saved = FlowHarness.snapshot(subtasks(small, backend, 1, saved, 2), 1);
    assertThat(end(subtasks(small, backend, 2, saved, 1)))
        .hasSize(FLOWS)
        .allSatisfy((flow, counted) -> assertThat(counted.atBegin()).isEqualTo(sent.get(flow)));
  }

  @Test
  void shouldSayThatThereIsNoRoomForAllFlows() throws Exception {
    OperatorSubtaskState saved = saved(subtasks(format(SMALL, true), Backend.HASHMAP, 1, null, 0));
    FlowHarness<Counted> harness =
        FlowHarness.of(new CountingTwice(format(LARGE, true)), FLOWS - 1, Backend.HASHMAP, 1, 0);
    harnesses.add(harness);
    assertThatThrownBy(() -> harness.initializeState(saved))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no room for the flows that were saved");
  }

  @Test
  void shouldRefuseAnotherSizeWhereTheFunctionDoesNotAllowIt() throws Exception {
    OperatorSubtaskState saved = saved(subtasks(format(SMALL, true), Backend.HASHMAP, 1, null, 0));
    FlowHarness<Counted> harness =
        FlowHarness.of(new CountingTwice(format(LARGE, false)), 2 * FLOWS, Backend.HASHMAP, 1, 0);
    harnesses.add(harness);
    assertThatThrownBy(() -> harness.initializeState(saved))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("with 8 bytes a flow")
        .hasMessageContaining("with 1700 bytes a flow");
  }
}
