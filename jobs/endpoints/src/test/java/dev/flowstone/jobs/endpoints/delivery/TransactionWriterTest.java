// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.blocks.RuleMark;
import dev.flowstone.blocks.WeightedBlock;
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
  private static final RuleMark WEB = new RuleMark(3, "web", "web-packets");

  private final List<WeightedBlock> written = new ArrayList<>();
  private final Queue<PacketTransaction> lost = new ArrayDeque<>();
  private int transactions;

  private final class Kafka
      implements PrecommittingStatefulSinkWriter<
          WeightedBlock, KafkaWriterState, KafkaCommittable> {
    @Override
    public void write(WeightedBlock block, Context context) {
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
    public void close() {
      throw new IllegalStateException("the error that failed the task");
    }
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
  private final TransactionWriter<WeightedBlock> writer =
      new TransactionWriter<>(new Kafka(), new PacketContents(), RESTORED, new Lost());

  private static KafkaCommittable committable(String name) {
    return new KafkaCommittable(1, (short) 0, name, null);
  }

  private static WeightedBlock block(int ring, long position, int count, long lostBefore) {
    return WeightedBlock.plain(packets(ring, position, count, lostBefore));
  }

  private static PacketBlock packets(int ring, long position, int count, long lostBefore) {
    return PacketBlock.of(
        new PacketBlockOrigin(ring, 42, position, 9_000, true),
        Arena.ofAuto().allocate((long) count * PacketBlock.RECORD_BYTES, 64),
        0,
        count,
        PacketLoss.inRing(lostBefore));
  }

  private static long told(WeightedBlock loss) {
    return loss.packets().lossBefore().inRing();
  }

  private PacketTransaction prepare() throws Exception {
    writer.flush(false);
    return writer.prepareCommit().iterator().next();
  }

  /** If closing a failed task throws, Flink terminates the TaskManager. */
  @Test
  void closesKafkasWriterWithoutItsError() {
    assertThatCode(() -> new QuietlyClosedWriter<>(new Kafka()).close()).doesNotThrowAnyException();
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
            loss -> loss.packets().ring(),
            TransactionWriterTest::told,
            loss -> loss.packets().firstPosition())
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
    WeightedBlock next = block(0, 110, 1, 0);
    writer.write(next, null);
    assertThat(written).hasSize(2);
    assertThat(told(written.getFirst())).isEqualTo(12);
    assertThat(written.getFirst().packets().isEmpty()).isTrue();
    assertThat(written.getLast()).isSameAs(next);
    PacketTransaction telling = prepare();
    assertThat(written).hasSize(2);
    assertThat(telling.packets()).isEqualTo(1);
    assertThat(told(telling.losses().getFirst())).isEqualTo(13);
  }

  @Test
  void shouldTellALossWhereNoPacketFollows() throws Exception {
    writer.write(block(0, 100, 10, 0), null);
    lost.add(prepare());
    written.clear();
    prepare();
    assertThat(written).extracting(TransactionWriterTest::told).containsExactly(10L);
  }

  /** Who sums up weights and losses gets the same as if nothing had been lost. */
  @Test
  void shouldTellWhatLostPacketsStoodForWhereTheyWouldHaveBeen() throws Exception {
    writer.write(new WeightedBlock(packets(0, 100, 10, 4), 50, WEB), null);
    writer.write(new WeightedBlock(packets(0, 100, 3, 0), 1, WEB), null);
    writer.write(block(0, 110, 2, 0), null);

    assertThat(prepare().losses())
        .extracting(TransactionWriterTest::told, WeightedBlock::rule, WeightedBlock::weight)
        .containsExactly(tuple(507L, WEB, 1), tuple(2L, RuleMark.NONE, 1));
  }

  @Test
  void shouldKeepAllOfATransactionInACheckpoint() throws Exception {
    writer.write(new WeightedBlock(packets(7, 100, 12, 0), 100, WEB), null);
    PacketTransaction kept = prepare();
    PacketTransactionSerializer serializer = new PacketTransactionSerializer(new NameSerializer());
    byte[] bytes = serializer.serialize(kept);
    PacketTransaction read = serializer.deserialize(serializer.getVersion(), bytes);
    assertThat(read.kafka()).isEqualTo(kept.kafka());
    assertThat(read.previousCheckpoint()).isEqualTo(RESTORED);
    assertThat(read.packets()).isEqualTo(12);
    WeightedBlock loss = read.losses().getFirst();
    assertThat(loss.packets().origin()).isEqualTo(kept.losses().getFirst().packets().origin());
    assertThat(told(loss)).isEqualTo(12 * 100);
    assertThat(loss.rule()).isEqualTo(WEB);
    assertThatThrownBy(() -> serializer.deserialize(1, bytes))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("version 1");
  }
}
