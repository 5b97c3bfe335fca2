// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketRecordLayout.SIZE_BYTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.offheap.RecordPacker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The packer in C++ writes byte for byte what the one in Java writes, which the decoders are held
 * against: each is the other's model.
 */
class PackersTest {
  private static final int MOST = 20_000;
  private static final int RANDOM_BATCHES = 400;

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment records = arena.allocate(MOST * SIZE_BYTES, 64);
  private final ColumnPacker java = new ColumnsEncoder(MOST);
  private final ColumnPacker cpp = new RecordPacker(MOST)::pack;
  private final SplittableRandom random = new SplittableRandom(2611);

  @AfterEach
  void free() {
    arena.close();
  }

  private void check(String name, long offsetBytes, int[] selection, int count) {
    final int timeBaseLow = random.nextInt();
    final MemorySegment expected = java.pack(records, offsetBytes, selection, count, timeBaseLow);
    final MemorySegment packed = cpp.pack(records, offsetBytes, selection, count, timeBaseLow);
    assertThat(expected.byteSize()).as(name).isPositive();
    assertThat(packed.byteSize()).as(name).isEqualTo(expected.byteSize());
    assertThat(packed.mismatch(expected)).as("%s: first byte that differs", name).isEqualTo(-1);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 7, 8, 9, 255, 256, 257, 1_000, 16_000, MOST})
  void shouldAgreeOnTraffic(int count) {
    for (int flows : new int[] {1, 30, 3_000, 1_000_000}) {
      new TrafficMix(random.nextLong(), flows, 1.0).fill(records, count);
      check(count + " packets of " + flows + " flows", 0, null, count);
    }
  }

  @Test
  void shouldAgreeOnRecordsThatNoParserWrites() {
    for (int i = 0; i < RANDOM_BATCHES; i++) {
      final int count = random.nextInt(i % 20 == 0 ? 5_000 : 100);
      WildRecords.fill(records, count, random.nextLong());
      check("batch " + i + " of " + count + " packets", 0, null, count);
    }
  }

  @Test
  void shouldAgreeOnSelections() {
    new TrafficMix(5, 500, 1.0).fill(records, MOST);
    for (int step = 1; step < 50; step++) {
      final int[] selection = new int[MOST / 2 / step];
      for (int i = 0; i < selection.length; i++) {
        selection[i] = i * step + random.nextInt(step);
      }
      check("every " + step, random.nextInt(MOST / 2) * SIZE_BYTES, selection, selection.length);
    }
  }

  /** Fewer bytes than a wrong guess would take: neither table may look further than the other. */
  @Test
  void shouldAgreeOnFlowsThatSomebodyChose() {
    for (int hash : new int[] {0, 0x1234_5678, -1}) {
      ChosenFlows.fill(records, MOST, flow -> hash);
      check("hash " + hash, 0, null, MOST);
    }
    ChosenFlows.fill(records, MOST, ChosenFlows::hashInOneSlot);
    check("one slot", 0, null, MOST);
  }

  /** The later ones are found behind the earlier ones, before and after the hash is secret. */
  @Test
  void shouldAgreeOnFewChosenFlowsThatComeAgainAndAgain() {
    int few = 300;
    ChosenFlows.fill(records, few, ChosenFlows::hashInOneSlot);
    for (int first = few; first < MOST; first += few) {
      MemorySegment.copy(
          records, 0, records, first * SIZE_BYTES, Math.min(few, MOST - first) * SIZE_BYTES);
    }
    check("300 of one slot", 0, null, MOST);
  }

  /** More profiles than their table has slots. */
  @Test
  void shouldAgreeWhereTablesAreFull() {
    for (long seed = 0; seed < 3; seed++) {
      WildRecords.fill(records, MOST, seed);
      check("wild " + seed, 0, null, MOST);
    }
  }

  /** As many pairs as may be found or not, by the size of their table. */
  @ParameterizedTest
  @ValueSource(ints = {1_000, 4_000, 8_000, 16_000})
  void shouldAgreeOnPairsThatManyFlowsShare(int pairs) {
    new TrafficMix(8, pairs, 0.1).fill(records, MOST);
    for (int i = 0; i < MOST; i++) {
      records.set(
          ValueLayout.JAVA_SHORT,
          i * SIZE_BYTES + PacketRecordLayout.SOURCE_PORT_OFFSET,
          (short) random.nextInt());
    }
    check(pairs + " pairs", 0, null, MOST);
  }

  /** Columns of steps are sparse up to one row in four. */
  @ParameterizedTest
  @ValueSource(ints = {5, 20, 24, 26, 30, 40, 90})
  void shouldAgreeOnStepsThatAreSeldomOrOften(int percent) {
    new TrafficMix(9, 20, 1.0).fill(records, MOST);
    for (int i = 0; i < MOST; i++) {
      final boolean step = random.nextInt(100) < percent;
      records.set(
          LittleEndian.INT_LAYOUT,
          i * SIZE_BYTES + PacketRecordLayout.SEQUENCE_OFFSET,
          step ? random.nextInt() : 0);
      records.set(
          LittleEndian.INT_LAYOUT, i * SIZE_BYTES + PacketRecordLayout.ACKNOWLEDGEMENT_OFFSET, i);
      records.set(
          ValueLayout.JAVA_SHORT,
          i * SIZE_BYTES + PacketRecordLayout.PAYLOAD_LENGTH_OFFSET,
          (short) 0);
      records.set(
          ValueLayout.JAVA_SHORT,
          i * SIZE_BYTES + PacketRecordLayout.TCP_WINDOW_OFFSET,
          (short) (random.nextInt(200) < percent ? 1 : 0));
    }
    check(percent + " % steps", 0, null, MOST);
  }

  @Test
  void shouldFindWhatIsNoPacket() {
    new TrafficMix(6, 5, 1.0).fill(records, 9);
    final long descriptor = 4 * SIZE_BYTES + PacketRecordLayout.DESCRIPTOR_OFFSET;
    records.set(
        LittleEndian.INT_LAYOUT, descriptor, RecordKind.LOSS << PacketRecordLayout.KIND_SHIFT);
    assertThat(java.pack(records, 0, null, 9, 0).byteSize()).isZero();
    assertThat(cpp.pack(records, 0, null, 9, 0).byteSize()).isZero();
    assertThat(cpp.pack(records, 0, null, 4, 0).byteSize()).isPositive();
    final PacketBatchEncoder encoder =
        new PacketBatchEncoder(BodyKind.COLUMNS, MOST, most -> new RecordPacker(most)::pack);
    assertThatThrownBy(() -> encoder.encode(RoundTrip.ORIGIN, records, 0, 9))
        .hasMessageContaining("only packet records");
  }

  @Test
  void shouldRefuseMoreThanItHasRoomFor() {
    final RecordPacker packer = new RecordPacker(10);
    assertThatThrownBy(() -> packer.pack(records, 0, null, 11, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("count=11");
  }

  @Test
  void shouldPackTheLargestBatch() {
    final int most = PacketBatchEncoder.MAX_COUNT;
    try (Arena large = Arena.ofConfined()) {
      final MemorySegment many = large.allocate(most * SIZE_BYTES, 64);
      new TrafficMix(7, 40_000, 1.0).fill(many, most);
      final byte[] inCpp =
          new PacketBatchEncoder(BodyKind.COLUMNS, most, count -> new RecordPacker(count)::pack)
              .encode(RoundTrip.ORIGIN, many, 0, most);
      assertThat(inCpp)
          .isEqualTo(
              new PacketBatchEncoder(BodyKind.COLUMNS, most)
                  .encode(RoundTrip.ORIGIN, many, 0, most));
    }
  }
}
