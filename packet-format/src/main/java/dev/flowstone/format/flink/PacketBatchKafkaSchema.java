// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format.flink;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.RuleMark;
import dev.flowstone.blocks.WeightedBlock;
import dev.flowstone.format.BatchOrigin;
import dev.flowstone.format.BodyKind;
import dev.flowstone.format.PacketBatchEncoder;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.PacketBatchHeaderLayout;
import dev.flowstone.stages.StageMetrics;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializationSchema.InitializationContext;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * One Kafka message for each block, in the partition of its stream, so that the order within a flow
 * holds, also with several taps and over their restarts. A block without packets becomes a message
 * only when it tells of a loss. A message of a rule's packets names the rule in a Kafka header.
 */
public final class PacketBatchKafkaSchema implements KafkaRecordSerializationSchema<WeightedBlock> {
  private static final long serialVersionUID = 1L;

  /** Names of the counters, below the sink's metric group. Packets of the blocks that came: */
  public static final String PACKETS_RECEIVED = "packetsReceived";

  /** Packets that the messages say they hold. */
  public static final String PACKETS_PACKED = "packetsPacked";

  public static final String BATCHES_PACKED = "batchesPacked";
  public static final String BYTES_PACKED = "bytesPacked";

  /**
   * Kafka's own time of a message is that of its arrival: by packet times, retention would delete
   * an old capture at once, and a capture from the future would be refused. Packet times are
   * inside.
   */
  private static final Long ARRIVAL_TIME = null;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  /** Kafka header with the name of the rule that chose the packets. */
  public static final String RULE_HEADER = "rule";

  private final String topic;
  private final BodyKind body;
  private final int mostRecords;

  private transient PacketBatchEncoder encoder;
  private transient int[] selection;
  private transient Counter received;
  private transient Counter packed;
  private transient Counter batches;
  private transient Counter bytes;

  /**
   * @param topic of blocks whose rule names no other
   * @param mostRecords packets of the largest block, as the source was told
   */
  public PacketBatchKafkaSchema(String topic, BodyKind body, int mostRecords) {
    if (mostRecords < 1 || mostRecords > PacketBatchEncoder.MAX_COUNT) {
      throw new IllegalArgumentException(
          "a packet batch has 1 to "
              + PacketBatchEncoder.MAX_COUNT
              + " packets: mostRecords="
              + mostRecords);
    }
    this.topic = topic;
    this.body = body;
    this.mostRecords = mostRecords;
  }

  @Override
  public void open(InitializationContext context, KafkaSinkContext sinkContext) {
    if (encoder == null) {
      encoder = new PacketBatchEncoder(body, mostRecords, ColumnPackers::fastest);
      selection = new int[mostRecords];
      register(StageMetrics.of(context.getMetricGroup()));
    }
  }

  /**
   * Once: Kafka's sink opens its schema again with each writer, and a second counter of a name is
   * dead.
   */
  private void register(MetricGroup group) {
    received = group.counter(PACKETS_RECEIVED);
    packed = group.counter(PACKETS_PACKED);
    batches = group.counter(BATCHES_PACKED);
    bytes = group.counter(BYTES_PACKED);
  }

  @Override
  public ProducerRecord<byte[], byte[]> serialize(
      WeightedBlock weighted, KafkaSinkContext context, Long timestamp) {
    PacketBlock block = weighted.packets();
    received.inc(block.count());
    if (block.isEmpty() && block.lossBefore().isNone()) {
      return null;
    }
    block.requireIntact(); // else the encoder could complain of what stands there now
    byte[] message =
        encoder.encode(
            origin(weighted),
            block.segment(),
            block.offsetBytes(),
            selectionOf(block),
            block.count(),
            gapOf(block, 0),
            gapOf(block, block.count() - 1));
    block.requireIntact();
    packed.inc((int) INT.get(message, (int) PacketBatchHeaderLayout.COUNT_OFFSET));
    batches.inc();
    bytes.inc(message.length);
    RuleMark rule = weighted.rule();
    String itsTopic = rule.topicOr(topic);
    int[] partitions = context.getPartitionsForTopic(itsTopic);
    int partition = partitions[StreamNumber.part(block.stream(), partitions.length)];
    return new ProducerRecord<>(itsTopic, partition, ARRIVAL_TIME, null, message, headers(rule));
  }

  private static List<Header> headers(RuleMark rule) {
    return rule.isNone()
        ? List.of()
        : List.of(new RecordHeader(RULE_HEADER, rule.name().getBytes(UTF_8)));
  }

  private static BatchOrigin origin(WeightedBlock weighted) {
    PacketBlock block = weighted.packets();
    return new BatchOrigin(
        block.stream(),
        block.incarnation(),
        block.firstPosition(),
        block.timeBaseNs(),
        block.clockTrusted(),
        block.lossBefore(),
        weighted.rule().number(),
        weighted.weight());
  }

  /** What came over the network, or was made to be kept, lies closer together than in the ring. */
  private static int gapOf(PacketBlock block, int index) {
    return block.isEmpty() ? 0 : (int) (block.positionOf(index) - block.firstPosition());
  }

  private int[] selectionOf(PacketBlock block) {
    if (block.isContiguous()) {
      return null;
    }
    for (int i = 0; i < block.count(); i++) {
      long distanceBytes = block.offsetOf(i) - block.offsetBytes();
      selection[i] = (int) (distanceBytes / PacketBlock.RECORD_BYTES);
    }
    return selection;
  }
}
