// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.blocks.RuleMark;
import dev.flowstone.blocks.WeightedBlock;
import dev.flowstone.model.PacketLoss;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeutils.SerializerTestBase;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.io.SimpleVersionedSerializerTypeSerializerProxy;
import org.apache.flink.testutils.DeeplyEqualsChecker;

/** Flink's suite for serializers on transactions, with the connector's own serializer. */
class PacketTransactionSerializerSuiteTest extends SerializerTestBase<PacketTransaction> {
  private static final int VARIABLE_LENGTH = -1;
  private static final KafkaCommittable KAFKA =
      new KafkaCommittable(12, (short) 3, "platform-1-6", null);

  /** One for all copies of the proxy, which compares its serializers. */
  private static final SimpleVersionedSerializer<PacketTransaction> SERIALIZER = serializer();

  PacketTransactionSerializerSuiteTest() {
    super(
        new DeeplyEqualsChecker()
            .withCustomCheck(
                (one, other) ->
                    one instanceof PacketTransaction && other instanceof PacketTransaction,
                (one, other, _) -> isSame((PacketTransaction) one, (PacketTransaction) other)));
  }

  private static SimpleVersionedSerializer<PacketTransaction> serializer() {
    KafkaRecordSerializationSchema<WeightedBlock> none = (_, _, _) -> null;
    KafkaSink<WeightedBlock> kafka =
        KafkaSink.<WeightedBlock>builder()
            .setBootstrapServers("localhost:1")
            .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
            .setTransactionalIdPrefix("platform")
            .setRecordSerializer(none)
            .build();
    return new PacketTransactionSerializer(kafka.getCommittableSerializer());
  }

  @Override
  protected TypeSerializer<PacketTransaction> createSerializer() {
    return new SimpleVersionedSerializerTypeSerializerProxy<>(() -> SERIALIZER);
  }

  @Override
  protected int getLength() {
    return VARIABLE_LENGTH;
  }

  @Override
  protected Class<PacketTransaction> getTypeClass() {
    return PacketTransaction.class;
  }

  @Override
  protected PacketTransaction[] getTestData() {
    return new PacketTransaction[] {
      new PacketTransaction(KAFKA, 0, 0, List.of()),
      new PacketTransaction(KAFKA, 17, 2_400, List.of(WeightedBlock.plain(loss(2_500)))),
      new PacketTransaction(
          KAFKA, 18, 1, List.of(WeightedBlock.plain(loss(1)), ofRule(loss(7)), ofRule(loss(8)))),
    };
  }

  private static PacketBlock loss(long packets) {
    return PacketBlock.empty(
        new PacketBlockOrigin(3, 42, 1_000, 5, true), new PacketLoss(packets, 2));
  }

  private static WeightedBlock ofRule(PacketBlock loss) {
    return new WeightedBlock(loss, WeightedBlock.UNSAMPLED, new RuleMark(4, "wéb", "web-packets"));
  }

  private static boolean isSame(PacketTransaction one, PacketTransaction other) {
    return one.kafka().equals(other.kafka())
        && one.previousCheckpoint() == other.previousCheckpoint()
        && one.packets() == other.packets()
        && one.losses().size() == other.losses().size()
        && IntStream.range(0, one.losses().size())
            .allMatch(i -> isSame(one.losses().get(i), other.losses().get(i)));
  }

  private static boolean isSame(WeightedBlock one, WeightedBlock other) {
    return one.rule().equals(other.rule())
        && one.weight() == other.weight()
        && one.packets().origin().equals(other.packets().origin())
        && one.packets().lossBefore().equals(other.packets().lossBefore());
  }

  /** Not a test here: the proxy makes no empty instances. */
  @Override
  protected void testInstantiate() {}

  /** Not a test here: the proxy has no snapshot. */
  @Override
  protected void testSnapshotConfigurationAndReconfigure() {}

  /** Not a test here: the proxy has no snapshot. */
  @Override
  protected void testConfigSnapshotInstantiation() {}
}
