// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.jobs.anomaly.alert.Alert;
import dev.flowstone.jobs.anomaly.alert.AlertOperator;
import dev.flowstone.jobs.anomaly.pane.PaneOperator;
import dev.flowstone.jobs.anomaly.pane.PanePart;
import dev.flowstone.jobs.anomaly.pane.Subject;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.results.JsonResult;
import dev.flowstone.rules.function.Anomaly;
import dev.flowstone.rules.function.Detector.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

/**
 * A checkpoint of two subtasks, gone on from by three, and by one again: the alerts of many
 * destinations, some open and some about to be, are what they would have been.
 */
@SuppressWarnings("try") // Its close throws whatever the operators' do.
class RescaleTest {
  private static final long MS = 1_000_000;
  private static final long START_MS = 1_700_000_000_000L;
  private static final int MAX_PARALLELISM = 128;
  private static final int DESTINATIONS = 300;
  private static final int SECONDS = 12;
  private static final RulesInForce RULES =
      RulesInForce.everyPacket(
          new Anomaly(
              List.of(
                  DetectorRun.detector(
                      Kind.SYN_FLOOD, 3, Duration.ofSeconds(3), Duration.ofSeconds(1)))));

  /** Each destination has its own pace; some are quiet for a while. */
  private static List<PacketBlock> packetsOf(int second) {
    List<TestPacket> packets = new ArrayList<>();
    for (int destination = 0; destination < DESTINATIONS; destination++) {
      int count = second / 4 % 2 == destination % 2 ? destination % 5 : 0;
      for (int i = 0; i < count; i++) {
        FlowTuple flow =
            FlowTuple.ipv4(0x0b000000 + i, 0x0a000000 + destination, 1_024, 22, TestPacket.TCP);
        long timeNs = (START_MS + second * 1_000L) * MS + destination * MS + i;
        packets.add(new TestPacket(timeNs, 1, packets.size(), flow, TestPacket.SYN, 0));
      }
    }
    List<PacketBlock> blocks = new ArrayList<>();
    TestPacket.blocks(packets, blocks::add);
    return blocks;
  }

  /** The operators of some subtasks, and all that they told. */
  private static final class Subtasks implements AutoCloseable {
    private final List<OneInputStreamOperatorTestHarness<RuledBlock, PanePart>> panes =
        new ArrayList<>();
    private final List<KeyedOneInputStreamOperatorTestHarness<Subject, PanePart, Alert>> alerts =
        new ArrayList<>();
    private final List<String> told;

    Subtasks(int count, Subtasks before) throws Exception {
      told = before == null ? new ArrayList<>() : before.told;
      OperatorSubtaskState ofPanes = before == null ? null : state(before.panes);
      OperatorSubtaskState ofAlerts = before == null ? null : state(before.alerts);
      int countBefore = before == null ? 0 : before.panes.size();
      for (int i = 0; i < count; i++) {
        var alert =
            new KeyedOneInputStreamOperatorTestHarness<>(
                new AlertOperator(Anomalies.USUAL_WATCHED_BYTES),
                PanePart::subject,
                TypeInformation.of(Subject.class),
                MAX_PARALLELISM,
                count,
                i);
        start(alert, ofAlerts, countBefore, count, i);
        alerts.add(alert);
      }
      for (int i = 0; i < count; i++) {
        var pane =
            new OneInputStreamOperatorTestHarness<>(new PaneOperator(), MAX_PARALLELISM, count, i);
        start(pane, ofPanes, countBefore, count, i);
        panes.add(pane);
        carry(pane);
      }
    }

    private static OperatorSubtaskState state(
        List<? extends AbstractStreamOperatorTestHarness<?>> harnesses) throws Exception {
      List<OperatorSubtaskState> states = new ArrayList<>();
      for (AbstractStreamOperatorTestHarness<?> each : harnesses) {
        states.add(each.snapshot(1, 1));
      }
      return AbstractStreamOperatorTestHarness.repackageState(
          states.toArray(OperatorSubtaskState[]::new));
    }

    private static void start(
        OneInputStreamOperatorTestHarness<?, ?> harness,
        OperatorSubtaskState state,
        int countBefore,
        int count,
        int index)
        throws Exception {
      harness.setup();
      harness.getExecutionConfig().enableObjectReuse();
      if (state != null) {
        harness.initializeState(
            AbstractStreamOperatorTestHarness.repartitionOperatorState(
                state, MAX_PARALLELISM, countBefore, count, index));
      }
      harness.open();
    }

    /** Blocks of one second to one subtask after the other. */
    void give(int second) throws Exception {
      List<PacketBlock> blocks = packetsOf(second);
      for (int i = 0; i < blocks.size(); i++) {
        var pane = panes.get(i % panes.size());
        pane.processElement(new StreamRecord<>(RuledBlock.of(blocks.get(i), RULES, 0)));
        carry(pane);
      }
    }

    void mark(long timeMs) throws Exception {
      for (var pane : panes) {
        pane.processWatermark(timeMs);
        carry(pane);
      }
      for (var alert : alerts) {
        alert.processWatermark(timeMs);
        alert.extractOutputValues().forEach(each -> told.add(JsonResult.of(each)));
        alert.getOutput().clear();
      }
    }

    private void carry(OneInputStreamOperatorTestHarness<RuledBlock, PanePart> pane)
        throws Exception {
      for (PanePart part : pane.extractOutputValues()) {
        int subtask =
            KeyGroupRangeAssignment.assignKeyToParallelOperator(
                part.subject(), MAX_PARALLELISM, alerts.size());
        OneInputStreamOperator<PanePart, Alert> alert = alerts.get(subtask).getOneInputOperator();
        alert.processElement(new StreamRecord<>(part));
      }
      pane.getOutput().clear();
    }

    @Override
    public void close() throws Exception {
      for (var each : panes) {
        each.close();
      }
      for (var each : alerts) {
        each.close();
      }
    }
  }

  @Test
  void shouldTellWhatAJobThatWasNeverStoppedTells() throws Exception {
    List<String> undisturbed;
    try (Subtasks one = new Subtasks(1, null)) {
      for (int second = 0; second < SECONDS; second++) {
        one.give(second);
        one.mark(START_MS + second * 1_000L - 500);
      }
      one.mark(Long.MAX_VALUE);
      undisturbed = one.told;
    }
    assertThat(undisturbed)
        .anyMatch(each -> each.contains("updated"))
        .anyMatch(each -> each.contains("closed"));

    Subtasks now = new Subtasks(2, null);
    try {
      for (int second = 0; second < SECONDS; second++) {
        now.give(second);
        now.mark(START_MS + second * 1_000L - 500);
        if (second == 5 || second == 8) {
          // In the middle of panes that have been begun, before those of this second are told.
          Subtasks before = now;
          now = new Subtasks(second == 5 ? 3 : 1, before);
          before.close();
        }
      }
      now.mark(Long.MAX_VALUE);
      assertThat(now.told).doesNotHaveDuplicates();
      assertThat(new TreeSet<>(now.told)).isEqualTo(new TreeSet<>(undisturbed));
    } finally {
      now.close();
    }
  }
}
