// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.counts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.blocks.StaleBlockException;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.SentRecord;
import dev.flowstone.sql.connector.counts.CountField.Told;
import dev.flowstone.sql.connector.losses.Subtasks;
import dev.flowstone.sql.connector.packets.PacketColumn;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PacketCountOperatorTest {
  private static final long NS_PER_MS = 1_000_000;
  private static final int UDP = 17;
  private static final int FRAME_BYTES = 100;

  private OneInputStreamOperatorTestHarness<PacketBlock, RowData> subtask;
  private final List<String> rows = new ArrayList<>();

  @BeforeEach
  void open() throws Exception {
    subtask =
        counting(
            new CountField.Key(PacketColumn.SOURCE_ADDRESS),
            new CountField.Key(PacketColumn.DESTINATION_PORT));
    subtask.setup(
        new RowDataSerializer(
            new LocalZonedTimestampType(3),
            new BigIntType(),
            new BigIntType(),
            new BigIntType(),
            new VarCharType(VarCharType.MAX_LENGTH),
            new IntType()));
    subtask.open();
  }

  private static OneInputStreamOperatorTestHarness<PacketBlock, RowData> counting(
      CountField.Key... columns) throws Exception {
    List<CountField> fields =
        new ArrayList<>(List.of(Told.ROWTIME, Told.PACKETS, Told.BYTES, Told.LOST_BEFORE));
    fields.addAll(List.of(columns));
    return new OneInputStreamOperatorTestHarness<>(
        new PacketCountOperator(fields, Duration.ofMillis(100), null));
  }

  @AfterEach
  void close() throws Exception {
    subtask.close();
  }

  /** Each at so many milliseconds. */
  private void send(PacketLoss lost, int port, long... timesMs) throws Exception {
    process(lost, port, timesMs);
    take();
  }

  private void process(PacketLoss lost, int port, long... timesMs) throws Exception {
    MemorySegment records =
        Arena.ofAuto().allocate((long) timesMs.length * PacketBlock.RECORD_BYTES, 8);
    FlowTuple flow = FlowTuple.ipv4(0x0a00_0001, 0x0a00_0002, 53, port, UDP);
    for (int i = 0; i < timesMs.length; i++) {
      SentRecord.write(
          records, (long) i * PacketBlock.RECORD_BYTES, flow, timesMs[i] * NS_PER_MS, FRAME_BYTES);
    }
    subtask.processElement(
        new StreamRecord<>(
            PacketBlock.of(
                new PacketBlockOrigin(1, 1, 0, timesMs[0] * NS_PER_MS, true),
                records,
                0,
                timesMs.length,
                lost)));
  }

  private void take() {
    while (!subtask.getOutput().isEmpty()) {
      rows.add(
          switch (subtask.getOutput().poll()) {
            case Watermark mark -> "watermark " + mark.getTimestamp();
            case StreamRecord<?> row -> text((RowData) row.getValue());
            case Object other -> throw new AssertionError("unexpected: " + other);
          });
    }
  }

  private static String text(RowData row) {
    return "%d %s:%s %d packets %d bytes %d lost"
        .formatted(
            row.getTimestamp(0, 3).getMillisecond(),
            row.isNullAt(4) ? "none" : row.getString(4),
            row.isNullAt(5) ? "none" : row.getInt(5),
            row.getLong(1),
            row.getLong(2),
            row.getLong(3));
  }

  private static PacketLoss lost(long packets) {
    return PacketLoss.inRing(packets);
  }

  @Test
  void shouldTellAnIntervalWhenTheWatermarkMoves() throws Exception {
    send(PacketLoss.NONE, 80, 1_000, 1_010, 1_099, 1_100);
    assertThat(rows).isEmpty();
    subtask.processWatermark(new Watermark(1_050));
    take();
    assertThat(rows)
        .containsExactly(
            "1000 10.0.0.1:80 3 packets 300 bytes 0 lost",
            "1100 10.0.0.1:80 1 packets 100 bytes 0 lost",
            "watermark 999");
  }

  /** Their own time is the begin of the interval, which no watermark may have passed. */
  @Test
  void shouldHoldWatermarksBackToTheBeginOfTheInterval() throws Exception {
    for (long mark : new long[] {1_098, 1_099, 1_100, Long.MAX_VALUE}) {
      subtask.processWatermark(new Watermark(mark));
    }
    take();
    assertThat(rows)
        .containsExactly(
            "watermark 999", "watermark 1099", "watermark 1099", "watermark " + Long.MAX_VALUE);
  }

  /** So a checkpoint needs none of it, and a restart repeats none. */
  @Test
  void shouldTellAllBeforeACheckpointAndAtTheEnd() throws Exception {
    send(PacketLoss.NONE, 80, 1_000);
    subtask.prepareSnapshotPreBarrier(1);
    take();
    assertThat(rows).containsExactly("1000 10.0.0.1:80 1 packets 100 bytes 0 lost");
    subtask.prepareSnapshotPreBarrier(2);
    send(PacketLoss.NONE, 80, 1_001);
    assertThat(rows).hasSize(1);
    subtask.endInput();
    take();
    assertThat(rows)
        .containsExactly(
            "1000 10.0.0.1:80 1 packets 100 bytes 0 lost",
            "1000 10.0.0.1:80 1 packets 100 bytes 0 lost");
  }

  @Test
  void shouldTellOfALossOnce() throws Exception {
    send(lost(7), 80, 1_000);
    send(lost(5), 81, 1_000);
    subtask.endInput();
    send(PacketLoss.NONE, 81, 1_000);
    subtask.endInput();
    take();
    assertThat(rows)
        .containsExactly(
            "1000 10.0.0.1:80 1 packets 100 bytes 12 lost",
            "1000 10.0.0.1:81 1 packets 100 bytes 0 lost",
            "1000 10.0.0.1:81 1 packets 100 bytes 0 lost");
  }

  /** Also where another subtask reads the ring then, and of the rings that it reads alone. */
  @Test
  void shouldTellOfALossOnceOverRestarts() throws Exception {
    try (Subtasks subtasks =
        new Subtasks(
            () ->
                new PacketCountOperator(
                    List.of(Told.PACKETS, Told.LOST_BEFORE), Duration.ofMillis(100), null),
            new RowDataSerializer(new BigIntType(), new BigIntType()))) {
      subtasks.send(0, 1, 7);
      subtasks.send(0, 2, 5);
      subtasks.restart(2);
      subtasks.send(0, 3, 0, 80);
      assertThat(subtasks.take(0, 1)).containsExactly(0L);
      subtasks.send(1, 1, 0, 80);
      assertThat(subtasks.take(1, 1)).containsExactly(7L);
      subtasks.restart(1);
      subtasks.send(0, 1, 0, 80);
      assertThat(subtasks.take(0, 1)).containsExactly(0L);
      subtasks.send(0, 2, 10, 80);
      assertThat(subtasks.take(0, 1)).containsExactly(15L);
    }
  }

  private void countByTimeAlone() throws Exception {
    subtask.close();
    subtask = counting();
    subtask.setup(
        new RowDataSerializer(
            new LocalZonedTimestampType(3), new BigIntType(), new BigIntType(), new BigIntType()));
    subtask.open();
  }

  @Test
  void shouldCountByTimeAloneWhereNoColumnIsAskedFor() throws Exception {
    countByTimeAlone();
    SplittableRandom random = new SplittableRandom(1);
    Map<Long, Long> expected = new TreeMap<>();
    for (int block = 0; block < 20; block++) {
      long[] timesMs = random.longs(1 + random.nextInt(100), 1_000, 1_500).sorted().toArray();
      // Packets of a ring are not all in the order of their times.
      timesMs[random.nextInt(timesMs.length)] = 1_000;
      for (long timeMs : timesMs) {
        expected.merge(timeMs / 100 * 100, 1L, Long::sum);
      }
      process(PacketLoss.NONE, block, timesMs);
    }
    subtask.endInput();
    Map<Long, Long> told = new TreeMap<>();
    while (subtask.getOutput().poll() instanceof StreamRecord<?> record) {
      RowData row = (RowData) record.getValue();
      assertThat(row.getLong(2)).isEqualTo(row.getLong(1) * FRAME_BYTES);
      told.merge(row.getTimestamp(0, 3).getMillisecond(), row.getLong(1), Long::sum);
    }
    assertThat(told).isEqualTo(expected);
  }

  /** Of old packets the watermark may say nothing for as long. */
  @Test
  void shouldTellMoreIntervalsThanThereIsRoomForWhereItCountsByTimeAlone() throws Exception {
    countByTimeAlone();
    int intervals = 20_000;
    for (int interval = 0; interval < intervals; interval++) {
      process(PacketLoss.NONE, 80, interval * 100L);
    }
    assertThat(subtask.getOutput()).hasSizeBetween(1, intervals - 1);
    subtask.endInput();
    assertThat(subtask.getOutput()).hasSize(intervals);
  }

  /** Rows would tell of other packets. */
  @Test
  void shouldFailForABlockThatWasWrittenOverWhileItWasCounted() {
    PacketBlock gone =
        PacketBlock.borrowed(
            new PacketBlockOrigin(1, 1, 0, 0, true),
            Arena.ofAuto().allocate(PacketBlock.RECORD_BYTES, 8),
            0,
            1,
            PacketLoss.NONE,
            _ -> false);
    assertThatThrownBy(() -> subtask.processElement(new StreamRecord<>(gone)))
        .isInstanceOf(StaleBlockException.class);
  }

  @Test
  void shouldTellEarlierWhereThereIsNoMoreRoom() throws Exception {
    int ports = 20_000;
    for (int port = 1; port <= ports; port++) {
      send(PacketLoss.NONE, port, 1_000);
    }
    assertThat(rows).hasSizeBetween(1, ports - 1);
    subtask.endInput();
    take();
    assertThat(rows).hasSize(ports).doesNotHaveDuplicates();
  }
}
