// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.losses;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.SentRecord;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;

/** Subtasks of an operator, at first one, which may go on from a checkpoint in another number. */
public final class Subtasks implements AutoCloseable {
  private static final int MAX_PARALLELISM = 128;
  private static final int UDP = 17;

  private final Supplier<OneInputStreamOperator<PacketBlock, RowData>> operator;
  private final TypeSerializer<RowData> rows;
  private final List<OneInputStreamOperatorTestHarness<PacketBlock, RowData>> running =
      new ArrayList<>();

  /**
   * A first one that knows of no checkpoint.
   *
   * @param rows what the operator sends
   */
  public Subtasks(
      Supplier<OneInputStreamOperator<PacketBlock, RowData>> operator, TypeSerializer<RowData> rows)
      throws Exception {
    this.operator = operator;
    this.rows = rows;
    start(null, 0, 1);
  }

  private void start(OperatorSubtaskState checkpoint, int before, int count) throws Exception {
    for (int subtask = 0; subtask < count; subtask++) {
      OneInputStreamOperatorTestHarness<PacketBlock, RowData> started =
          new OneInputStreamOperatorTestHarness<>(operator.get(), MAX_PARALLELISM, count, subtask);
      started.setup(rows);
      if (checkpoint != null) {
        started.initializeState(
            AbstractStreamOperatorTestHarness.repartitionOperatorState(
                checkpoint, MAX_PARALLELISM, before, count, subtask));
      }
      started.open();
      running.add(started);
    }
  }

  /** Takes a checkpoint, and goes on from it in so many subtasks. */
  public void restart(int count) throws Exception {
    List<OperatorSubtaskState> states = new ArrayList<>();
    for (OneInputStreamOperatorTestHarness<PacketBlock, RowData> each : running) {
      each.prepareSnapshotPreBarrier(1);
      states.add(each.snapshot(1, 1));
    }
    close();
    start(
        AbstractStreamOperatorTestHarness.repackageState(
            states.toArray(OperatorSubtaskState[]::new)),
        states.size(),
        count);
  }

  /** Gives a subtask packets to a port each, or none, before which some of the ring were lost. */
  public void send(int subtask, long stream, long lost, int... ports) throws Exception {
    MemorySegment records =
        Arena.ofAuto().allocate((long) ports.length * PacketBlock.RECORD_BYTES, 8);
    for (int i = 0; i < ports.length; i++) {
      FlowTuple flow = FlowTuple.ipv4(1, 2, 53, ports[i], UDP);
      SentRecord.write(records, (long) i * PacketBlock.RECORD_BYTES, flow, 1_000, 100);
    }
    PacketBlockOrigin origin = new PacketBlockOrigin(stream, 1, 0, 1_000, true);
    PacketLoss loss = PacketLoss.inRing(lost);
    running
        .get(subtask)
        .processElement(
            new StreamRecord<>(
                ports.length == 0
                    ? PacketBlock.empty(origin, loss)
                    : PacketBlock.of(origin, records, 0, ports.length, loss)));
  }

  /** A number of each row that a subtask sent since it was asked last. */
  public List<Long> take(int subtask, int field) throws Exception {
    OneInputStreamOperatorTestHarness<PacketBlock, RowData> asked = running.get(subtask);
    asked.prepareSnapshotPreBarrier(1);
    List<Long> numbers = new ArrayList<>();
    while (asked.getOutput().poll() instanceof StreamRecord<?> record) {
      numbers.add(((RowData) record.getValue()).getLong(field));
    }
    return numbers;
  }

  @Override
  public void close() {
    running.forEach(Subtasks::close);
    running.clear();
  }

  private static void close(OneInputStreamOperatorTestHarness<PacketBlock, RowData> subtask) {
    try {
      subtask.close();
    } catch (Exception e) {
      throw new IllegalStateException("a subtask does not end", e);
    }
  }
}
