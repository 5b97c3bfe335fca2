// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.SentRecord;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.sql.connector.filter.PacketTest;
import dev.flowstone.sql.connector.losses.Subtasks;
import dev.flowstone.sql.connector.packets.PacketColumn;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PacketRowOperatorTest {
  private static final int UDP = 17;
  private static final long ONE = StreamNumber.of(5, 1);
  private static final long TWO = StreamNumber.of(5, 2);

  private OneInputStreamOperatorTestHarness<PacketBlock, RowData> subtask;

  /** Lets port 80 through alone. */
  @BeforeEach
  void open() throws Exception {
    subtask =
        new OneInputStreamOperatorTestHarness<>(
            new PacketRowOperator(
                List.of(PacketColumn.FRAME_LENGTH),
                List.of(BlockPlace.values()),
                new PacketTest.Within(PacketColumn.DESTINATION_PORT, 80, 80)));
    subtask.setup(
        new RowDataSerializer(
            new IntType(),
            new IntType(),
            new VarCharType(VarCharType.MAX_LENGTH),
            new BigIntType(),
            new BigIntType()));
    subtask.open();
  }

  @AfterEach
  void close() throws Exception {
    subtask.close();
  }

  private void send(long stream, long position, PacketLoss lost, int... ports) throws Exception {
    MemorySegment records =
        Arena.ofAuto().allocate((long) ports.length * PacketBlock.RECORD_BYTES, 8);
    for (int i = 0; i < ports.length; i++) {
      FlowTuple flow = FlowTuple.ipv4(1, 2, 53, ports[i], UDP);
      SentRecord.write(records, (long) i * PacketBlock.RECORD_BYTES, flow, 1_000, 100 + i);
    }
    PacketBlockOrigin origin = new PacketBlockOrigin(stream, 1, position, 1_000, true);
    subtask.processElement(
        new StreamRecord<>(
            ports.length == 0
                ? PacketBlock.empty(origin, lost)
                : PacketBlock.of(origin, records, 0, ports.length, lost)));
  }

  private List<String> rows() {
    List<String> rows = new ArrayList<>();
    while (!subtask.getOutput().isEmpty()) {
      RowData row = (RowData) ((StreamRecord<?>) subtask.getOutput().poll()).getValue();
      rows.add(
          "%d bytes, ring %d of %s at %d, %d lost"
              .formatted(
                  row.getInt(0), row.getInt(1), row.getString(2), row.getLong(3), row.getLong(4)));
    }
    return rows;
  }

  @Test
  void shouldSayOfEachPacketWhereItWas() throws Exception {
    send(ONE, 1_000, PacketLoss.NONE, 53, 80, 53, 80);
    send(TWO, 7, PacketLoss.NONE, 80);
    assertThat(rows())
        .containsExactly(
            "101 bytes, ring 1 of " + StreamNumber.text(ONE) + " at 1001, 0 lost",
            "103 bytes, ring 1 of " + StreamNumber.text(ONE) + " at 1003, 0 lost",
            "100 bytes, ring 2 of " + StreamNumber.text(TWO) + " at 7, 0 lost");
  }

  /** Also when a filter leaves out all that came since, and of its own ring. */
  @Test
  void shouldTellOfEachLossOnceWithTheNextRowOfItsRing() throws Exception {
    send(ONE, 0, new PacketLoss(3, 4), 53, 53);
    send(ONE, 9, PacketLoss.inRing(10));
    send(TWO, 0, PacketLoss.inRing(100), 80, 80);
    send(ONE, 20, PacketLoss.inRing(1), 53, 80, 80);
    assertThat(rows())
        .extracting(row -> row.replaceAll(".*, ", ""))
        .containsExactly("100 lost", "0 lost", "18 lost", "0 lost");
  }

  /** Whichever subtask reads the ring next, and whether it is read again soon or late. */
  @Test
  void shouldTellOfEachLossOnceOverRestarts() throws Exception {
    long idle = StreamNumber.of(5, 3);
    long other = StreamNumber.of(5, 5);
    try (Subtasks subtasks =
        new Subtasks(
            () ->
                new PacketRowOperator(
                    List.of(PacketColumn.FRAME_LENGTH),
                    List.of(BlockPlace.LOST_BEFORE),
                    new PacketTest.Within(PacketColumn.DESTINATION_PORT, 80, 80)),
            new RowDataSerializer(new IntType(), new BigIntType()))) {
      subtasks.send(0, ONE, 3, 53);
      subtasks.send(0, TWO, 100, 53);
      subtasks.send(0, other, 30);
      subtasks.send(0, idle, 5);
      subtasks.restart(3);
      for (int reader = 0; reader < 3; reader++) {
        subtasks.send(reader, StreamNumber.of(6, reader), 0, 80);
        assertThat(subtasks.take(reader, 1)).as("a ring without a loss").containsExactly(0L);
      }
      subtasks.send(2, ONE, 4, 53, 80, 80);
      assertThat(subtasks.take(2, 1)).containsExactly(7L, 0L);
      subtasks.send(0, other, 0, 80);
      assertThat(subtasks.take(0, 1)).containsExactly(30L);
      subtasks.send(0, TWO, 1, 53);
      subtasks.restart(2);
      subtasks.send(0, ONE, 0, 80);
      subtasks.send(0, other, 0, 80);
      subtasks.send(1, TWO, 0, 80);
      assertThat(subtasks.take(0, 1)).containsExactly(0L, 0L);
      assertThat(subtasks.take(1, 1)).containsExactly(101L);
      subtasks.restart(1);
      subtasks.send(0, ONE, 0, 80);
      subtasks.send(0, TWO, 0, 80);
      subtasks.send(0, idle, 0, 80);
      assertThat(subtasks.take(0, 1)).containsExactly(0L, 0L, 5L);
    }
  }
}
