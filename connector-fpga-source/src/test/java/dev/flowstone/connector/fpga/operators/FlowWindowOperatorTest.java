// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.connector.fpga.LostPackets;
import dev.flowstone.connector.fpga.PacketCount;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFinalizer;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When results leave, what is in a checkpoint, and what happens at the bounds. */
class FlowWindowOperatorTest {
  private static final int KEY_GROUPS = 128;
  private static final long NS_PER_MS = 1_000_000;
  private static final long SECOND_NS = 1_000 * NS_PER_MS;
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final List<Harness> harnesses = new ArrayList<>();

  /** One subtask. */
  @SuppressWarnings("try")
  private static final class Harness
      extends KeyedOneInputStreamOperatorTestHarness<
          Integer, PacketBlock, Tuple3<Integer, Long, Long>> {
    final FlowWindowOperator<PacketCount.Sum, Tuple3<Integer, Long, Long>> windows;

    Harness(int mostFlows, int parallelism, int subtask) throws Exception {
      this(
          new FlowWindowOperator<>(
              new PacketCount(), TypeInformation.of(PacketCount.Sum.class), SECOND_NS, mostFlows),
          parallelism,
          subtask);
    }

    private Harness(
        FlowWindowOperator<PacketCount.Sum, Tuple3<Integer, Long, Long>> operator,
        int parallelism,
        int subtask)
        throws Exception {
      super(operator, PacketBlock::ring, Types.INT, KEY_GROUPS, parallelism, subtask);
      this.windows = operator;
    }

    OperatorSnapshotFutures beginSnapshot() throws Exception {
      return windows.snapshotState(
          1,
          1,
          CheckpointOptions.forCheckpointWithDefaultLocation(),
          new MemCheckpointStreamFactory(1 << 20));
    }

    /** Flow, second, packets; and none of it again. */
    List<String> results() {
      List<String> results =
          extractOutputValues().stream()
              .map(result -> result.f0 + " " + result.f1 + " " + result.f2)
              .sorted()
              .toList();
      getOutput().clear();
      return results;
    }
  }

  @AfterEach
  void close() throws Exception {
    for (Harness harness : harnesses) {
      harness.close();
    }
  }

  private Harness harness(int mostFlows, int parallelism, int subtask) throws Exception {
    Harness harness = new Harness(mostFlows, parallelism, subtask);
    harnesses.add(harness);
    return harness;
  }

  private Harness opened(int mostFlows) throws Exception {
    Harness harness = harness(mostFlows, 1, 0);
    harness.open();
    return harness;
  }

  /** One packet for each time, of a flow that is named by its port and has its number for hash. */
  private static PacketBlock block(int flow, long... timesMs) {
    MemorySegment records = Arena.ofAuto().allocate(timesMs.length * 64L, 64);
    long baseNs = timesMs[0] * NS_PER_MS;
    for (int i = 0; i < timesMs.length; i++) {
      long offset = i * 64L;
      records.set(INT, offset + PacketRecordLayout.TIME_LOW_OFFSET, (int) (timesMs[i] * NS_PER_MS));
      records.set(INT, offset + PacketRecordLayout.FLOW_HASH_OFFSET, flow);
      records.set(SHORT, offset + PacketRecordLayout.SOURCE_PORT_OFFSET, (short) flow);
      records.set(
          INT,
          offset + PacketRecordLayout.DESCRIPTOR_OFFSET,
          RecordKind.IPV6 << PacketRecordLayout.KIND_SHIFT);
      records.set(ValueLayout.JAVA_BYTE, offset + PacketRecordLayout.PROTOCOL_OFFSET, (byte) 17);
    }
    return PacketBlock.of(
        new PacketBlockOrigin(7, 1, 0, baseNs, true), records, 0, timesMs.length, PacketLoss.NONE);
  }

  private static void give(Harness harness, PacketBlock block) throws Exception {
    harness.processElement(new StreamRecord<>(block, 0));
  }

  @Test
  void shouldEmitAWindowWhenTheWatermarkHasPassedItsLastMillisecond() throws Exception {
    Harness harness = opened(10);
    give(harness, block(1, 1_000, 1_999, 2_000));
    harness.processWatermark(1_998);
    assertThat(harness.results()).isEmpty();
    harness.processWatermark(1_999);
    assertThat(harness.results()).containsExactly("1 1 2");
    harness.processWatermark(Long.MAX_VALUE);
    assertThat(harness.results()).containsExactly("1 2 1");
  }

  @Test
  void shouldPutTimesBefore1970IntoTheirWindow() throws Exception {
    Harness harness = opened(10);
    give(harness, block(1, -1, 0));
    harness.processWatermark(-1);
    assertThat(harness.extractOutputValues()).hasSize(1);
  }

  /** A second result for the same second: together they are right. */
  @Test
  void shouldLeaveOutNoPacketThatComesLate() throws Exception {
    Harness harness = opened(10);
    give(harness, block(1, 1_000));
    harness.processWatermark(3_000);
    assertThat(harness.results()).containsExactly("1 1 1");
    give(harness, block(1, 3_500, 1_500));
    harness.processWatermark(3_100);
    assertThat(harness.results()).containsExactly("1 1 1");
    assertThat(harness.windows.packetsLate()).isEqualTo(1);
  }

  @Test
  void shouldEmitEarlyWhatFindsNoRoom() throws Exception {
    Harness harness = opened(2);
    give(harness, block(1, 1_000, 1_001));
    give(harness, block(2, 1_002));
    assertThat(harness.results()).isEmpty();
    give(harness, block(3, 1_003));
    assertThat(harness.results()).containsExactly("1 1 2", "2 1 1");
    give(harness, block(1, 1_004));
    harness.processWatermark(Long.MAX_VALUE);
    assertThat(harness.results()).containsExactly("1 1 1", "3 1 1");
    assertThat(harness.windows.earlyResults()).isEqualTo(2);
  }

  @Test
  void shouldKeepManyFlowsApart() throws Exception {
    Harness harness = opened(1_000);
    for (int round = 0; round < 3; round++) {
      for (int flow = 1; flow <= 500; flow++) {
        give(harness, block(flow, 1_000));
      }
    }
    harness.processWatermark(Long.MAX_VALUE);
    assertThat(harness.extractOutputValues())
        .hasSize(500)
        .allMatch(result -> result.f2 == 3)
        .doesNotHaveDuplicates();
  }

  /** One subtask's flows go on in two, each in that of its key group, and back again in one. */
  @Test
  void shouldGoOnFromACheckpointWithAnotherParallelism() throws Exception {
    Harness one = opened(1_000);
    for (int flow = 1; flow <= 100; flow++) {
      give(one, block(flow, 1_000, 2_500));
    }
    OperatorSnapshotFutures written = one.beginSnapshot();
    // Flink writes its state while packets go on to be counted.
    give(one, block(1, 1_001));
    OperatorSubtaskState saved =
        OperatorSnapshotFinalizer.create(written).getJobManagerOwnedState();
    List<OperatorSubtaskState> savedByTwo = new ArrayList<>();
    for (int subtask = 0; subtask < 2; subtask++) {
      Harness half = harness(1_000, 2, subtask);
      half.initializeState(
          AbstractStreamOperatorTestHarness.repartitionOperatorState(
              saved, KEY_GROUPS, 1, 2, subtask));
      half.open();
      half.processWatermark(2_000);
      assertThat(half.results()).hasSizeBetween(30, 70).allMatch(result -> result.endsWith(" 1 1"));
      savedByTwo.add(half.snapshot(2, 2));
    }
    Harness again = harness(1_000, 1, 0);
    again.initializeState(
        AbstractStreamOperatorTestHarness.repartitionOperatorState(
            AbstractStreamOperatorTestHarness.repackageState(
                savedByTwo.toArray(OperatorSubtaskState[]::new)),
            KEY_GROUPS,
            2,
            1,
            0));
    again.open();
    give(again, block(1, 2_600));
    again.processWatermark(Long.MAX_VALUE);
    assertThat(again.results()).hasSize(100).contains("1 2 2", "2 2 1", "100 2 1");
  }

  @Test
  void shouldRefuseTheFlowsOfOthers() throws Exception {
    Harness second = harness(10, KEY_GROUPS, 127);
    second.open();
    assertThatThrownBy(() -> give(second, block(1, 1_000)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("FlowExchange.blocksByFlow");
  }

  @Test
  void shouldTellALossWithTheTimeOfThePacketThatFollowsIt() throws Exception {
    Harness harness = opened(10);
    give(harness, block(1, 1_500, 1_600).withLossBefore(new PacketLoss(3, 4)));
    assertThat(harness.getSideOutput(LostPackets.TAG))
        .containsExactly(new StreamRecord<>(new LostPackets(1_500 * NS_PER_MS, 7, 3, 4), 1_500L));
  }
}
