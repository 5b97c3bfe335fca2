// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.runtime.state.storage.JobManagerCheckpointStorage;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;

/** One subtask with a function, on Flink's own state backends. */
@SuppressWarnings("try")
final class FlowHarness<R> extends KeyedOneInputStreamOperatorTestHarness<Integer, PacketBlock, R> {
  static final int KEY_GROUPS = 128;
  private static final int MOST_STATE_BYTES = 64 << 20;

  /**
   * Where keyed state is; whole checkpoints, since incremental ones need a coordinator that puts
   * them together.
   */
  enum Backend {
    ROCKSDB,
    HASHMAP;

    StateBackend make() {
      return this == ROCKSDB ? rocksDb() : new HashMapStateBackend();
    }
  }

  /** With RocksDB's own sizes: Flink's share of a test's memory is so small that it stalls. */
  private static StateBackend rocksDb() {
    EmbeddedRocksDBStateBackend backend = new EmbeddedRocksDBStateBackend(false);
    backend.getMemoryConfiguration().setUseManagedMemory(false);
    return backend;
  }

  final KeyedBlockOperator<PacketBlock, R> flows;

  /** The clock of the operator, if the test did not give another. */
  final ManualClock clock;

  private final FlowFunction<R> function;
  private final int parallelism;
  private final int subtask;
  private long watermarkMs = Long.MIN_VALUE;

  private FlowHarness(
      FlowFunction<R> function,
      KeyedBlockOperator<PacketBlock, R> operator,
      ManualClock clock,
      Backend backend,
      int parallelism,
      int subtask)
      throws Exception {
    super(operator, PacketBlock::ring, Types.INT, KEY_GROUPS, parallelism, subtask);
    this.function = function;
    this.parallelism = parallelism;
    this.subtask = subtask;
    this.clock = clock;
    flows = operator;
    setStateBackend(backend.make());
    setCheckpointStorage(new JobManagerCheckpointStorage(MOST_STATE_BYTES));
  }

  static <R> FlowHarness<R> of(
      FlowFunction<R> function, int mostFlows, Backend backend, int parallelism, int subtask)
      throws Exception {
    return of(function, FlowRoom.inMemoryAlone(mostFlows), backend, parallelism, subtask);
  }

  static <R> FlowHarness<R> of(
      FlowFunction<R> function, FlowRoom room, Backend backend, int parallelism, int subtask)
      throws Exception {
    ManualClock clock = new ManualClock();
    return new FlowHarness<>(
        function,
        KeyedBlockOperator.onBlocks(function, room, clock),
        clock,
        backend,
        parallelism,
        subtask);
  }

  static <R> FlowHarness<R> of(
      FlowFunction<R> function,
      KeyedBlockOperator<PacketBlock, R> operator,
      Backend backend,
      int parallelism,
      int subtask)
      throws Exception {
    return new FlowHarness<>(function, operator, new ManualClock(), backend, parallelism, subtask);
  }

  /** Takes its part of what all subtasks of a former run saved, however many they were. */
  void restore(OperatorSubtaskState saved, int formerParallelism) throws Exception {
    initializeState(
        repartitionOperatorState(saved, KEY_GROUPS, formerParallelism, parallelism, subtask));
  }

  /** A checkpoint of all subtasks, which completes. */
  static OperatorSubtaskState snapshot(List<? extends FlowHarness<?>> subtasks, long checkpoint)
      throws Exception {
    OperatorSubtaskState[] states = new OperatorSubtaskState[subtasks.size()];
    for (int i = 0; i < states.length; i++) {
      states[i] = subtasks.get(i).snapshot(checkpoint, checkpoint);
      subtasks.get(i).notifyOfCompletedCheckpoint(checkpoint);
    }
    return repackageState(states);
  }

  void give(List<SentPacket> packets) throws Exception {
    processElement(new StreamRecord<>(SentPacket.block(packets), 0));
  }

  /** Of flow records. */
  long counter(String name) {
    FlowRecords records = (FlowRecords) function;
    return switch (name) {
      case "packets" -> flows.packets();
      case "packetsLate" -> records.packetsLate();
      case "packetsOut" -> records.packetsOut();
      case "recordsEarly" -> records.recordsEarly();
      default -> throw new IllegalArgumentException(name);
    };
  }

  /** What left, and none of it again; nothing of it is late for whoever comes next. */
  List<R> results() {
    List<R> results = extractOutputValues();
    for (Object element : getOutput()) {
      if (element instanceof Watermark mark) {
        watermarkMs = mark.getTimestamp();
      } else if (element instanceof StreamRecord<?> record) {
        assertThat(record.getTimestamp()).isGreaterThan(watermarkMs);
      }
    }
    getOutput().clear();
    return results;
  }
}
