// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketRecordLayout.SIZE_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

/** What a lookup costs is counted in slots passed: a clock would also measure the machine. */
class FlowTableTest {
  private static final int FLOWS = 16_000;

  private final FlowTable table = new FlowTable(FLOWS);

  @Test
  void shouldPassFewSlotsWhereNobodyChoseTheFlows() {
    final SplittableRandom random = new SplittableRandom(20);
    assertThat(stepsPerPacket(flow -> random.nextInt())).isLessThan(1);
  }

  @Test
  void shouldNotSlowDownForFlowsOfOneHash() {
    assertThat(stepsPerPacket(flow -> 0x1234_5678)).isLessThan(limit());
  }

  @Test
  void shouldNotSlowDownForFlowsOfOneSlot() {
    assertThat(stepsPerPacket(ChosenFlows::hashInOneSlot)).isLessThan(limit());
  }

  @Test
  void shouldNotSlowDownForFewFlowsThatAreFoundAgainAndAgain() {
    final int fewerThanChangeTheHash = 300;
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment chosen = arena.allocate(fewerThanChangeTheHash * SIZE_BYTES, 64);
      ChosenFlows.fill(chosen, fewerThanChangeTheHash, flow -> 7);
      table.clear(FLOWS);
      for (int sent = 0; sent < FLOWS; sent += fewerThanChangeTheHash) {
        findSenders(chosen, fewerThanChangeTheHash);
      }
      assertThat(table.steps() / (double) FLOWS).isLessThan(limit());
      assertThat(table.flowCount()).isEqualTo(fewerThanChangeTheHash);
    }
  }

  @Test
  void shouldRestoreChosenFlowsBitForBit() {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment records = arena.allocate(FLOWS * SIZE_BYTES, 64);
      ChosenFlows.fill(records, FLOWS, flow -> 0x1234_5678);
      RoundTrip.check(BodyKind.COLUMNS, records, null, FLOWS);
    }
  }

  /** Until the hash is changed, and then as few as by chance. */
  private static double limit() {
    return FlowTable.MOST_STEPS_PER_PACKET + 1.5;
  }

  private double stepsPerPacket(IntUnaryOperator hashOfFlow) {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment records = arena.allocate(FLOWS * SIZE_BYTES, 64);
      ChosenFlows.fill(records, FLOWS, hashOfFlow);
      table.clear(FLOWS);
      findSenders(records, FLOWS);
      assertThat(table.flowCount()).isEqualTo(FLOWS);
      return table.steps() / (double) FLOWS;
    }
  }

  private void findSenders(MemorySegment records, int count) {
    final RecordChunk chunk = new RecordChunk();
    final int[] senders = new int[RecordChunk.RECORDS];
    for (int first = 0; first < count; first += RecordChunk.RECORDS) {
      final int chunkCount = Math.min(RecordChunk.RECORDS, count - first);
      chunk.load(records, 0, null, first, chunkCount);
      table.findSenders(chunk.words, chunkCount, senders);
    }
  }
}
