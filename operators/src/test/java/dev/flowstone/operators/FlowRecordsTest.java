// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.operators.FlowHarness.Backend;
import dev.flowstone.results.RuleTag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When records leave, and what becomes of packets that come late. */
class FlowRecordsTest {
  private static final long MS = 1_000_000;
  private static final long START_NS = 1_700_000_000_000_000_000L;
  private static final long START_MS = START_NS / MS;

  private final List<FlowHarness<FlowRecord>> harnesses = new ArrayList<>();

  @AfterEach
  void end() throws Exception {
    for (FlowHarness<FlowRecord> harness : harnesses) {
      harness.close();
    }
  }

  private FlowHarness<FlowRecord> idle(int idleMs) throws Exception {
    FlowRecords function = new FlowRecords(Duration.ofDays(1), Duration.ofMillis(idleMs));
    FlowHarness<FlowRecord> harness = FlowHarness.of(function, 100, Backend.HASHMAP, 1, 0);
    harnesses.add(harness);
    harness.open();
    return harness;
  }

  private static SentPacket packet(int flow, long timeNs) {
    return new SentPacket(SentPacket.flow(flow), timeNs, 100, 2);
  }

  @Test
  void shouldLetNoWatermarkOvertakeARecord() throws Exception {
    FlowHarness<FlowRecord> records = idle(50);
    records.give(List.of(packet(1, START_NS)));
    long startMs = START_NS / MS;
    records.processWatermark(startMs + 49);
    assertThat(records.results()).isEmpty();
    records.processWatermark(startMs + 50);
    assertThat(records.getOutput().toArray()[0])
        .isEqualTo(
            new StreamRecord<>(
                new FlowRecord(
                    RuleTag.of("default"), SentPacket.flow(1), START_NS, START_NS, 1, 100, 2),
                startMs + 50));
  }

  /** With a result of their own, beside that of their time. */
  @Test
  void shouldLeaveOutNoPacketThatComesLate() throws Exception {
    FlowHarness<FlowRecord> records = idle(50);
    records.give(List.of(packet(1, START_NS)));
    records.processWatermark(START_NS / MS + 500);
    records.give(List.of(packet(1, START_NS + MS), packet(2, START_NS + 501 * MS)));
    records.processWatermark(START_NS / MS + 501);
    assertThat(records.counter("packetsLate")).isEqualTo(1);
    assertThat(records.results()).hasSize(2).allMatch(record -> record.packets() == 1);
  }

  @Test
  void shouldLetTheEarliestLeaveWhereAFlowHasTooManyPieces() throws Exception {
    FlowHarness<FlowRecord> records = idle(1);
    for (int piece = 0; piece < FlowRecords.MOST_PIECES + 3; piece++) {
      records.give(List.of(packet(1, START_NS + piece * (10 * MS))));
    }
    assertThat(records.counter("recordsEarly")).isEqualTo(3);
    assertThat(records.results())
        .extracting(FlowRecord::firstNs)
        .containsExactly(START_NS, START_NS + 10 * MS, START_NS + 20 * MS);
    records.processWatermark(Long.MAX_VALUE);
    assertThat(records.results()).hasSize(FlowRecords.MOST_PIECES);
  }

  @Test
  void shouldNotCallLateWhatFindsItsRecordOpen() throws Exception {
    FlowHarness<FlowRecord> records = idle(50);
    records.give(List.of(packet(1, START_NS)));
    records.processWatermark(START_MS + 30);
    records.give(List.of(packet(1, START_NS + 20 * MS), packet(1, START_NS + 10 * MS)));
    assertThat(records.counter("packetsLate")).isZero();
    records.processWatermark(Long.MAX_VALUE);
    assertThat(records.results()).hasSize(1).allMatch(record -> record.packets() == 3);
  }

  /** A ring may bring time, or its end, before the first packet after a restart. */
  @Test
  void shouldKnowTheRuleOfAFlowBeforeTheFirstBlockAfterARestart() throws Exception {
    FlowHarness<FlowRecord> before = idle(50);
    before.give(List.of(packet(1, START_NS)));
    OperatorSubtaskState state = FlowHarness.snapshot(List.of(before), 1);

    FlowRecords function = new FlowRecords(Duration.ofDays(1), Duration.ofMillis(50));
    FlowHarness<FlowRecord> after = FlowHarness.of(function, 100, Backend.HASHMAP, 1, 0);
    harnesses.add(after);
    after.restore(state, 1);
    after.open();
    after.processWatermark(START_MS + 50);
    assertThat(after.results()).extracting(FlowRecord::rule).containsExactly(RuleTag.of("default"));
  }

  /** The harness looks at every result's time. */
  @Test
  void shouldLetNoRecordBeBehindTheWatermark() throws Exception {
    FlowHarness<FlowRecord> records = idle(50);
    records.give(List.of(packet(1, START_NS)));
    records.processWatermark(START_MS + 30);
    for (int piece = 1; piece <= FlowRecords.MOST_PIECES; piece++) {
      records.give(List.of(packet(1, START_NS + piece * (60 * MS))));
    }
    assertThat(records.counter("recordsEarly")).isEqualTo(1);
    assertThat(records.results()).hasSize(1);
    records.processWatermark(START_MS + 900);
    records.give(List.of(packet(2, START_NS + 3 * MS)));
    records.processWatermark(START_MS + 901);
    assertThat(records.counter("packetsLate")).isEqualTo(1);
    assertThat(records.results()).hasSize(FlowRecords.MOST_PIECES + 1);
  }
}
