// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.blocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.PacketLoss;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class PacketBlockSerializerTest {
  private static final int COUNT_OFFSET = 49;
  private static final int LOST_OFFSET = 33;

  private final PacketBlockSerializer serializer = new PacketBlockSerializer();

  private byte[] bytes(PacketBlock block) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(64);
    serializer.serialize(block, out);
    return out.getCopyOfBuffer();
  }

  private PacketBlock block(byte[] bytes) throws IOException {
    DataInputDeserializer in = new DataInputDeserializer(bytes);
    PacketBlock block = serializer.deserialize(in);
    assertThat(in.available()).isZero();
    return block;
  }

  private static PacketBlock run(int count) {
    return PacketBlock.of(
        Records.origin(77), Records.numbered(count), 0, count, new PacketLoss(5, 2));
  }

  private static void assertSame(PacketBlock read, PacketBlock written) {
    assertThat(read.origin()).isEqualTo(written.origin());
    assertThat(read.lossBefore()).isEqualTo(written.lossBefore());
    assertThat(Records.numbers(read)).isEqualTo(Records.numbers(written));
    assertThat(Records.positions(read)).isEqualTo(Records.positions(written));
    assertThat(read.segment().isNative()).isTrue();
  }

  @Test
  void shouldPassABlockOnAsItIsWithinATask() {
    PacketBlock block = run(3);
    assertThat(serializer.copy(block)).isSameAs(block);
    assertThat(serializer.isImmutableType()).isTrue();
  }

  @Test
  void shouldCarryRunsOfAnySize() throws IOException {
    for (int count : new int[] {1, 63, 64, 65, 1024, PacketBlock.MOST_RECORDS}) {
      PacketBlock written = run(count);
      byte[] bytes = bytes(written);
      assertThat(bytes).hasSize(53 + count * 64);
      assertSame(block(bytes), written);
    }
  }

  @Test
  void shouldCarryOnlySelectedRecordsAndTheirPositions() throws IOException {
    PacketBlock written =
        run(PacketBlock.MOST_RECORDS).select(new int[] {0, 17, 40_000, 65_534}, 4);
    byte[] bytes = bytes(written);
    assertThat(bytes).hasSize(53 + 4 * 66);
    PacketBlock read = block(bytes);
    assertSame(read, written);
    PacketBlock again = read.select(new int[] {1, 3}, 2);
    assertThat(Records.numbers(again)).containsExactly(17, 65_534);
    assertThat(Records.positions(again)).containsExactly(94L, 65_611L);
    assertSame(block(bytes(again)), again);
  }

  @Test
  void shouldCarryEmptyBlocks() throws IOException {
    assertSame(
        block(bytes(PacketBlock.empty(Records.origin(9), new PacketLoss(0, 3)))),
        PacketBlock.empty(Records.origin(9), new PacketLoss(0, 3)));
    PacketBlock none = run(4).select(new int[0], 0);
    assertSame(block(bytes(none)), none);
  }

  @Test
  void shouldCopySerializedBlocks() throws IOException {
    for (PacketBlock block : new PacketBlock[] {run(100), run(100).select(new int[] {4, 99}, 2)}) {
      byte[] bytes = bytes(block);
      DataOutputSerializer out = new DataOutputSerializer(64);
      serializer.copy(new DataInputDeserializer(bytes), out);
      assertThat(out.getCopyOfBuffer()).isEqualTo(bytes);
    }
  }

  /** Bytes of format 2 as they were first released: must stay readable for ever. */
  @Test
  void shouldReadFormat2() throws IOException {
    String header =
        "03"
            + "00abcdef01234503"
            + "0123456789abcdef"
            + "000000000000004d"
            + "17979cfe4ad59d15"
            + "0000000000000005"
            + "0000000000000002"
            + "00000001"
            + "0002";
    byte[] record = new byte[64];
    for (int i = 0; i < record.length; i++) {
      record[i] = (byte) i;
    }
    byte[] bytes = HexFormat.of().parseHex(header + HexFormat.of().formatHex(record));
    PacketBlock read = block(bytes);
    assertThat(read.origin())
        .isEqualTo(
            new PacketBlockOrigin(
                Records.STREAM, 0x0123456789abcdefL, 77, 0x1797_9cfe_4ad5_9d15L, true));
    assertThat(read.ring()).isEqualTo(3);
    assertThat(read.lossBefore()).isEqualTo(new PacketLoss(5, 2));
    assertThat(read.positionOf(0)).isEqualTo(79);
    assertThat(bytes(read)).isEqualTo(bytes);
  }

  @Test
  void shouldRefuseMalformedBytesByNameOfTheField() throws IOException {
    byte[] good = bytes(run(4).select(new int[] {1, 2}, 2));
    assertRefused(with(good, 0, 0xff), "flags");
    assertRefused(with(good, LOST_OFFSET, 0x80), "losses");
    assertRefused(with(good, COUNT_OFFSET, 0x80), "count");
    assertRefused(with(good, COUNT_OFFSET + 1, 2), "count");
    assertRefused(with(good, 54, 2), "gap");
    assertThatThrownBy(() -> block(Arrays.copyOf(good, good.length - 1)))
        .isInstanceOf(EOFException.class);
  }

  private static byte[] with(byte[] good, int offset, int value) {
    byte[] bad = good.clone();
    bad[offset] = (byte) value;
    return bad;
  }

  private void assertRefused(byte[] bytes, String field) {
    assertThatThrownBy(() -> block(bytes))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(field);
  }

  /** Anything but an IOException, which Flink knows how to handle, ends the test. */
  @Test
  void shouldReadDamagedBytesAsABlockOrAsAnIoException() throws IOException {
    long seed = Long.getLong("flowstone.seed", System.nanoTime());
    Random random = new Random(seed);
    byte[] good = bytes(run(40).select(IntStream.range(0, 20).map(i -> 2 * i).toArray(), 20));
    int blocks = 0;
    int refusals = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bad = damaged(good, random);
      try {
        PacketBlock read = serializer.deserialize(new DataInputDeserializer(bad));
        requireReadable(read);
        blocks++;
      } catch (IOException refused) {
        refusals++;
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError(
            "-Dflowstone.seed=" + seed + ": bytes " + i + ": " + HexFormat.of().formatHex(bad), e);
      }
    }
    assertThat(blocks).as("damaged bytes that are a block").isPositive();
    assertThat(refusals).as("damaged bytes that are not").isPositive();
  }

  private static byte[] damaged(byte[] good, Random random) {
    int lengthBytes = random.nextBoolean() ? good.length : 1 + random.nextInt(good.length);
    byte[] bad = Arrays.copyOf(good, lengthBytes);
    bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
    bad[random.nextInt(Math.min(80, bad.length))] = (byte) random.nextInt();
    return bad;
  }

  /** Its records lie in its memory, and their positions ascend within one block's reach. */
  private static void requireReadable(PacketBlock block) {
    long former = block.firstPosition() - 1;
    for (int i = 0; i < block.count(); i++) {
      assertThat(block.positionOf(i) - former).isPositive();
      assertThat(block.positionOf(i) - block.firstPosition())
          .isLessThanOrEqualTo(PacketBlock.MOST_RECORDS);
      former = block.positionOf(i);
      var _ = block.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, block.offsetOf(i) + 56);
    }
  }

  /** Never other packets. */
  @Test
  void shouldRefuseABorrowedBlockWhoseMemoryWasWrittenOver() throws IOException {
    AtomicLong heldFrom = new AtomicLong(77);
    PacketBlock borrowed =
        PacketBlock.borrowed(
            Records.origin(77),
            Records.numbered(4),
            0,
            4,
            PacketLoss.NONE,
            position -> position >= heldFrom.get());
    assertSame(block(bytes(borrowed)), borrowed);
    PacketBlock last = borrowed.select(new int[] {3}, 1);
    heldFrom.set(80);
    assertThatThrownBy(() -> bytes(borrowed))
        .isInstanceOf(StaleBlockException.class)
        .hasMessageContaining("owned()");
    assertSame(block(bytes(last)), last);
  }

  @Test
  void shouldShareAllocationsBetweenBlocksThatCameOverTheNetwork() throws IOException {
    byte[] bytes = bytes(run(100));
    PacketBlock first = block(bytes);
    PacketBlock second = block(bytes);
    assertThat(second.segment().address() - first.segment().address()).isEqualTo(100 * 64);
    assertSame(first, run(100));
    assertSame(second, run(100));
    PacketBlock kept = first.owned();
    assertThat(kept).as("would keep its neighbours' memory").isNotSameAs(first);
    assertSame(kept, run(100));
    assertThat(kept.segment().byteSize()).isEqualTo(100 * 64);
    byte[] large = bytes(run(PacketBlock.MOST_RECORDS));
    assertSame(block(large), run(PacketBlock.MOST_RECORDS));
    for (int i = 0; i < 200; i++) {
      assertSame(block(bytes), run(100));
    }
  }

  @Test
  void shouldNameItsFormatInSavepoints() throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(16);
    TypeSerializerSnapshot.writeVersionedSnapshot(out, serializer.snapshotConfiguration());
    TypeSerializerSnapshot<PacketBlock> read =
        TypeSerializerSnapshot.readVersionedSnapshot(
            new DataInputDeserializer(out.getCopyOfBuffer()), getClass().getClassLoader());
    assertThat(read.restoreSerializer()).isEqualTo(serializer);
    assertThat(
            serializer.snapshotConfiguration().resolveSchemaCompatibility(read).isCompatibleAsIs())
        .isTrue();
    assertThatThrownBy(
            () ->
                new PacketBlockSerializerSnapshot()
                    .readSnapshot(
                        2, new DataInputDeserializer(new byte[4]), getClass().getClassLoader()))
        .hasMessageContaining("version 2");
  }
}
