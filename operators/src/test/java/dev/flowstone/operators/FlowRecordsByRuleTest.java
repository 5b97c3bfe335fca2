// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.results.JsonResult;
import dev.flowstone.results.RuleTag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

/** Flow records of packets that have rules. */
@SuppressWarnings("try") // A harness throws at its end whatever its operator does.
class FlowRecordsByRuleTest {
  private static final long MS = 1_000_000;
  private static final long START_NS = 1_700_000_000_000_000_000L;
  private static final String RULES =
      """
      rules:
        - name: opening
          match: {protocol: tcp, tcp_flags: syn and not ack}
          function: {aggregate: {active_timeout: 10s, idle_timeout: 1s}}
          flow_id: 9
      default:
        function: {aggregate: {active_timeout: 60s, idle_timeout: 5s}}
      """;

  private final RulesInForce rules = new RulesText(1, "test", RULES).read();

  private KeyedOneInputStreamOperatorTestHarness<Integer, RuledBlock, FlowRecord> harness()
      throws Exception {
    return harness(1, 0);
  }

  private KeyedOneInputStreamOperatorTestHarness<Integer, RuledBlock, FlowRecord> harness(
      int parallelism, int subtask) throws Exception {
    return new KeyedOneInputStreamOperatorTestHarness<>(
        KeyedBlockOperator.onRuledBlocks(
            new FlowRecords(Duration.ofSeconds(60), Duration.ofSeconds(15)),
            FlowRoom.inMemoryAlone(1_000)),
        _ -> 0,
        Types.INT,
        FlowHarness.KEY_GROUPS,
        parallelism,
        subtask);
  }

  /** The same flow: a SYN that is repeated, and what follows. */
  private RuledBlock packets() {
    return RuledBlock.of(
        SentPacket.block(
            List.of(packet(0, 2), packet(900, 2), packet(1_000, 16), packet(1_500, 16))),
        rules,
        new short[] {0, 0, 1, 1});
  }

  private static SentPacket packet(long afterMs, int tcpFlags) {
    return new SentPacket(SentPacket.flow(1), START_NS + afterMs * MS, 100, tcpFlags);
  }

  private static long ms(long afterMs) {
    return START_NS / MS + afterMs;
  }

  @Test
  void shouldTellAFlowsPacketsApartByTheirRuleAndItsTimeouts() throws Exception {
    try (var harness = harness()) {
      harness.open();
      harness.processElement(new StreamRecord<>(packets()));
      harness.processWatermark(ms(900 + 1_000));
      assertThat(harness.extractOutputValues())
          .extracting(JsonResult::of)
          .containsExactly(
              "{\"kind\":\"flow_record\",\"time_ns\":1700000000000000000,\"rule\":\"opening\","
                  + "\"flow_id\":9,\"source_address\":\"10.0.0.0\","
                  + "\"destination_address\":\"11.0.0.1\",\"source_port\":1,"
                  + "\"destination_port\":443,\"protocol\":6,\"last_ns\":1700000000900000000,"
                  + "\"packets\":2,\"bytes\":200,\"tcp_flags\":2}");
      harness.processWatermark(ms(1_500 + 4_999));
      assertThat(harness.extractOutputValues()).hasSize(1);
      harness.processWatermark(ms(1_500 + 5_000));
      assertThat(harness.extractOutputValues().getLast())
          .extracting(record -> record.rule().name(), FlowRecord::packets)
          .containsExactly("default", 2L);
    }
  }

  @Test
  void shouldKnowTheRulesOfRestoredFlowsWithoutAPacket() throws Exception {
    OperatorSubtaskState state;
    try (var harness = harness()) {
      harness.open();
      harness.processElement(new StreamRecord<>(packets()));
      state = harness.snapshot(1, 1);
    }
    try (var harness = harness()) {
      harness.initializeState(state);
      harness.open();
      harness.processElement(
          new StreamRecord<>(
              RuledBlock.of(
                  SentPacket.block(List.of(packet(0, 2))).select(new int[0], 0), rules, 1)));
      harness.processWatermark(Long.MAX_VALUE);

      assertThat(harness.extractOutputValues())
          .extracting(record -> record.rule().name(), FlowRecord::packets)
          .containsExactlyInAnyOrder(
              org.assertj.core.groups.Tuple.tuple("opening", 2L),
              org.assertj.core.groups.Tuple.tuple("default", 2L));
    }
  }

  /** The rule is not active again before the second restart. */
  @Test
  void shouldKnowARuleThatWasRemovedBeforeTwoRestarts() throws Exception {
    RulesInForce none = new RulesText(2, "test", "rules: []").read();
    OperatorSubtaskState state;
    try (var harness = harness()) {
      harness.open();
      harness.processElement(new StreamRecord<>(packets()));
      state = harness.snapshot(1, 1);
    }
    try (var harness = harness()) {
      harness.initializeState(state);
      harness.open();
      harness.processElement(nothing(none));
      state = harness.snapshot(2, 2);
    }
    try (var harness = harness()) {
      harness.initializeState(state);
      harness.open();
      harness.processElement(nothing(none));
      harness.processWatermark(ms(900 + 999));
      assertThat(harness.extractOutputValues()).isEmpty();
      harness.processWatermark(ms(900 + 1_000));
      assertThat(harness.extractOutputValues())
          .extracting(FlowRecord::rule)
          .containsExactly(new RuleTag("opening", RuleTag.NO_TOPIC, 9));
    }
  }

  @Test
  void shouldKnowRemovedRulesInEachSubtaskOfALargerJob() throws Exception {
    OperatorSubtaskState state;
    try (var harness = harness()) {
      harness.open();
      harness.processElement(new StreamRecord<>(packets()));
      state = harness.snapshot(1, 1);
    }
    RulesInForce none = new RulesText(2, "test", "rules: []").read();
    List<String> names = new ArrayList<>();
    for (int subtask = 0; subtask < 3; subtask++) {
      try (var harness = harness(3, subtask)) {
        harness.initializeState(
            AbstractStreamOperatorTestHarness.repartitionOperatorState(
                state, FlowHarness.KEY_GROUPS, 1, 3, subtask));
        harness.open();
        harness.processElement(nothing(none));
        harness.processWatermark(Long.MAX_VALUE);
        harness.extractOutputValues().forEach(record -> names.add(record.rule().name()));
      }
    }
    assertThat(names).containsExactlyInAnyOrder("opening", "default");
  }

  @Test
  void shouldKnowRemovedRulesOfAllSubtasksOfASmallerJob() throws Exception {
    OperatorSubtaskState[] states = new OperatorSubtaskState[2];
    for (int subtask = 0; subtask < 2; subtask++) {
      RulesInForce own =
          new RulesText(1, "test", RULES.replace("opening", "opening-" + subtask)).read();
      SentPacket packet = new SentPacket(flowOf(subtask), START_NS, 100, 2);
      try (var harness = harness(2, subtask)) {
        harness.open();
        harness.processElement(
            new StreamRecord<>(RuledBlock.of(SentPacket.block(List.of(packet)), own, 0)));
        states[subtask] = harness.snapshot(1, 1);
      }
    }
    try (var harness = harness()) {
      harness.initializeState(
          AbstractStreamOperatorTestHarness.repartitionOperatorState(
              AbstractStreamOperatorTestHarness.repackageState(states),
              FlowHarness.KEY_GROUPS,
              2,
              1,
              0));
      harness.open();
      harness.processElement(nothing(new RulesText(2, "test", "rules: []").read()));
      harness.processWatermark(Long.MAX_VALUE);
      assertThat(harness.extractOutputValues())
          .extracting(record -> record.rule().name())
          .containsExactlyInAnyOrder("opening-0", "opening-1");
    }
  }

  /** A flow of a subtask of two. */
  private static FlowTuple flowOf(int subtask) {
    return IntStream.range(0, 100)
        .mapToObj(SentPacket::flow)
        .filter(
            flow ->
                SentPacket.keyGroup(flow, FlowHarness.KEY_GROUPS) * 2 / FlowHarness.KEY_GROUPS
                    == subtask)
        .findFirst()
        .orElseThrow();
  }

  private StreamRecord<RuledBlock> nothing(RulesInForce active) {
    return new StreamRecord<>(
        RuledBlock.of(SentPacket.block(List.of(packet(0, 2))).select(new int[0], 0), active, 0));
  }
}
