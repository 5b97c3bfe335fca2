// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.blocks.RuleMark;
import dev.flowstone.blocks.StaleBlockException;
import dev.flowstone.blocks.WeightedBlock;
import dev.flowstone.format.BodyKind;
import dev.flowstone.format.PacketBatchDecoder;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.serialization.SerializationSchema.InitializationContext;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema.KafkaSinkContext;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PacketBatchKafkaSchemaTest {
  private static final int PACKETS = 4;
  private static final int PARTITIONS = 5;
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final int IPV4 = RecordKind.IPV4 << PacketRecordLayout.KIND_SHIFT;
  private static final PacketLoss LOSS = new PacketLoss(7, 5);

  private final PacketBatchKafkaSchema schema =
      new PacketBatchKafkaSchema("packets", BodyKind.COLUMNS, PACKETS);
  private final MemorySegment records =
      Arena.ofAuto().allocate((long) PACKETS * PacketBlock.RECORD_BYTES, PacketBlock.RECORD_BYTES);

  private static final KafkaSinkContext SINK =
      new KafkaSinkContext() {
        @Override
        public int getParallelInstanceId() {
          return 0;
        }

        @Override
        public int getNumberOfParallelInstances() {
          return 1;
        }

        @Override
        public int[] getPartitionsForTopic(String topic) {
          return new int[] {0, 1, 2, 3, 4};
        }
      };

  private static final InitializationContext TASK =
      new InitializationContext() {
        @Override
        public MetricGroup getMetricGroup() {
          return new UnregisteredMetricsGroup();
        }

        @Override
        public UserCodeClassLoader getUserCodeClassLoader() {
          throw new AssertionError("not asked for");
        }
      };

  @BeforeEach
  void open() {
    for (long offset = 0; offset < records.byteSize(); offset += PacketBlock.RECORD_BYTES) {
      records.set(INT, offset + PacketRecordLayout.DESCRIPTOR_OFFSET, IPV4);
    }
    schema.open(TASK, SINK);
  }

  private static PacketBlockOrigin origin(long tap, int ring) {
    return new PacketBlockOrigin(StreamNumber.of(tap, ring), 9, 100, 1_700_000_000L, true);
  }

  private ProducerRecord<byte[], byte[]> message(PacketBlock block) {
    return schema.serialize(WeightedBlock.plain(block), SINK, null);
  }

  private int partition(long tap, int ring) {
    return message(PacketBlock.of(origin(tap, ring), records, 0, PACKETS, LOSS)).partition();
  }

  @Test
  void shouldSayWhichStreamLostWhat() {
    var message = message(PacketBlock.of(origin(3, 2), records, 0, PACKETS, LOSS));
    var header = new PacketBatchDecoder().readHeader(message.value());
    assertThat(header.count()).isEqualTo(PACKETS);
    assertThat(header.stream()).isEqualTo(StreamNumber.of(3, 2));
    assertThat(header.lossBefore()).isEqualTo(LOSS);
  }

  @Test
  void shouldSayWhichRuleChosePacketsAndWhatEachStandsFor() {
    PacketBlock block = PacketBlock.of(origin(3, 2), records, 0, PACKETS, PacketLoss.NONE);
    RuleMark web = new RuleMark(4, "web", "web-packets");

    var message = schema.serialize(new WeightedBlock(block, 100, web), SINK, null);

    assertThat(message.topic()).isEqualTo("web-packets");
    assertThat(message.headers().lastHeader("rule").value()).asString().isEqualTo("web");
    var header = new PacketBatchDecoder().readHeader(message.value());
    assertThat(header.rule()).isEqualTo(4);
    assertThat(header.samplingWeight()).isEqualTo(100);
    assertThat(message(block).topic()).isEqualTo("packets");
    assertThat(message(block).headers()).isEmpty();
  }

  /** Ring numbers repeat with several taps: their order holds within a stream, not within these. */
  @Test
  void shouldChooseThePartitionByTheStreamAndNotByTheRing() {
    for (int ring = 0; ring < PARTITIONS; ring++) {
      for (long tap = 1; tap <= 5; tap++) {
        assertThat(partition(tap, ring))
            .isEqualTo(StreamNumber.part(StreamNumber.of(tap, ring), PARTITIONS));
      }
    }
  }

  @Test
  void shouldMakeAMessageOfAnEmptyBlockOnlyForALoss() {
    assertThat(message(PacketBlock.empty(origin(1, 0), PacketLoss.NONE))).isNull();
    assertThat(message(PacketBlock.empty(origin(1, 0), new PacketLoss(0, 1)))).isNotNull();
  }

  /** Never other packets. */
  @Test
  void shouldRefuseABlockWhoseMemoryWasWrittenOver() {
    AtomicBoolean stands = new AtomicBoolean(true);
    PacketBlock borrowed =
        PacketBlock.borrowed(origin(1, 0), records, 0, PACKETS, LOSS, _ -> stands.get());
    assertThat(message(borrowed)).isNotNull();
    stands.set(false);
    assertThatThrownBy(() -> message(borrowed)).isInstanceOf(StaleBlockException.class);
  }
}
