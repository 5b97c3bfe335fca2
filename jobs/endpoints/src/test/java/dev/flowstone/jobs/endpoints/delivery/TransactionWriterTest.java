// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.model.PacketLoss;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.TwoPhaseCommittingStatefulSink.PrecommittingStatefulSinkWriter;
import org.apache.flink.connector.kafka.sink.internal.ReadableBackchannel;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.junit.jupiter.api.Test;

class TransactionWriterTest {
  private static final long RESTORED = 16;

  private final List<PacketBlock> written = new ArrayList<>();
  private final Queue<PacketTransaction> lost = new ArrayDeque<>();
  private int transactions;

  private final class Kafka
      implements PrecommittingStatefulSinkWriter<PacketBlock, KafkaWriterState, KafkaCommittable> {
    @Override
    public void write(PacketBlock block, Context context) {
      written.add(block);
    }

    @Override
    public void flush(boolean endOfInput) {}

    @Override
    public Collection<KafkaCommittable> prepareCommit() {
      return List.of(committable("job-0-" + ++transactions));
    }

    @Override
    public List<KafkaWriterState> snapshotState(long checkpoint) {
      return List.of();
    }

    @Override
    public void close() {}
  }

  private final class Lost implements ReadableBackchannel<PacketTransaction> {
    @Override
    public PacketTransaction poll() {
      return lost.poll();
    }

    @Override
    public boolean isEstablished() {
      return true;
    }

    @Override
    public void close() {}
  }

  /** What commits a transaction, as its name only. */
  private static final class NameSerializer implements SimpleVersionedSerializer<KafkaCommittable> {
    @Override
    public int getVersion() {
      return 1;
    }

    @Override
    public byte[] serialize(KafkaCommittable transaction) {
      return transaction.getTransactionalId().getBytes(UTF_8);
    }

    @Override
    public KafkaCommittable deserialize(int version, byte[] name) {
      return committable(new String(name, UTF_8));
    }
  }

  @SuppressWarnings("try")
  private final TransactionWriter<PacketBlock> writer =
      new TransactionWriter<>(new Kafka(), new PacketContents(), RESTORED, new Lost());

  private static KafkaCommittable committable(String name) {
    return new KafkaCommittable(1, (short) 0, name, null);
  }

  private static PacketBlock block(int ring, long position, int count, long lostBefore) {
    return PacketBlock.of(
        new PacketBlockOrigin(ring, 42, position, 9_000, true),
        Arena.ofAuto().allocate((long) count * PacketBlock.RECORD_BYTES, 64),
        0,
        count,
        PacketLoss.inRing(lostBefore));
  }

  private PacketTransaction prepare() throws Exception {
    writer.flush(false);
    return writer.prepareCommit().iterator().next();
  }

  @Test
  void shouldKnowWhatEachTransactionHolds() throws Exception {
    writer.write(block(0, 100, 10, 0), null);
    writer.write(block(1, 50, 5, 3), null);
    writer.write(block(0, 110, 20, 4), null);
    PacketTransaction first = prepare();
    assertThat(first.name()).isEqualTo("job-0-1");
    assertThat(first.previousCheckpoint()).isEqualTo(RESTORED);
    assertThat(first.packets()).isEqualTo(35);
    assertThat(first.losses())
        .extracting(
            PacketBlock::ring, block -> block.lossBefore().inRing(), PacketBlock::firstPosition)
        .containsExactly(tuple(0, 34L, 130L), tuple(1, 8L, 55L));
    writer.snapshotState(18);
    writer.write(block(1, 55, 7, 0), null);
    PacketTransaction second = prepare();
    assertThat(second.previousCheckpoint()).isEqualTo(18);
    assertThat(second.packets()).isEqualTo(7);
    assertThat(second.losses()).hasSize(1);
  }

  @Test
  void shouldTellALossBeforeTheNextPacketsAndThenNoMore() throws Exception {
    writer.write(block(0, 100, 10, 2), null);
    PacketTransaction given = prepare();
    written.clear();
    lost.add(given);
    PacketBlock next = block(0, 110, 1, 0);
    writer.write(next, null);
    assertThat(written).hasSize(2);
    assertThat(written.getFirst().lossBefore().inRing()).isEqualTo(12);
    assertThat(written.getFirst().isEmpty()).isTrue();
    assertThat(written.getLast()).isSameAs(next);
    PacketTransaction telling = prepare();
    assertThat(written).hasSize(2);
    assertThat(telling.packets()).isEqualTo(1);
    assertThat(telling.losses().getFirst().lossBefore().inRing()).isEqualTo(13);
  }

  @Test
  void shouldTellALossWhereNoPacketFollows() throws Exception {
    writer.write(block(0, 100, 10, 0), null);
    lost.add(prepare());
    written.clear();
    prepare();
    assertThat(written).extracting(block -> block.lossBefore().inRing()).containsExactly(10L);
  }

  @Test
  void shouldKeepAllOfATransactionInACheckpoint() throws Exception {
    writer.write(block(7, 100, 10, 2), null);
    PacketTransaction kept = prepare();
    PacketTransactionSerializer serializer = new PacketTransactionSerializer(new NameSerializer());
    byte[] bytes = serializer.serialize(kept);
    PacketTransaction read = serializer.deserialize(serializer.getVersion(), bytes);
    assertThat(read.kafka()).isEqualTo(kept.kafka());
    assertThat(read.previousCheckpoint()).isEqualTo(RESTORED);
    assertThat(read.packets()).isEqualTo(10);
    assertThat(read.losses().getFirst().origin()).isEqualTo(kept.losses().getFirst().origin());
    assertThat(read.losses().getFirst().lossBefore().inRing()).isEqualTo(12);
    assertThatThrownBy(() -> serializer.deserialize(1, bytes))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("version 1");
  }
}
