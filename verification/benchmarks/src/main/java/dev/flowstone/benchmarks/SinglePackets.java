// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static dev.flowstone.model.abi.PacketRecordLayout.DESTINATION_ADDRESS_OFFSET;
import static dev.flowstone.model.abi.PacketRecordLayout.SOURCE_ADDRESS_OFFSET;
import static dev.flowstone.model.abi.PacketRecordLayout.SOURCE_PORT_OFFSET;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.jobs.endpoints.KafkaSettings;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.model.PacketRecord;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * What is compared with: a Kafka message for each packet, as small as its fields allow (the flow
 * hash can be had from the others, IPv4 addresses take four bytes), with no allocation of its own.
 */
final class SinglePackets implements FlatMapFunction<PacketBlock, byte[]> {
  private static final long serialVersionUID = 1L;

  /** Time, ports, sequence, acknowledgement, window, payload length, four bytes, descriptor. */
  private static final int FIELDS_BYTES = 8 + 4 + 4 + 4 + 2 + 2 + 4 + 4;

  /** Time and descriptor come first, then what follows the addresses in a record. */
  private static final int TAIL_BYTES = FIELDS_BYTES - 8 - 4;

  private static final int PORTS_FROM_END = TAIL_BYTES;
  private static final int ADDRESSES_BYTES = 32;
  private static final int IPV4_IN_IPV6 = 12;
  private static final int IPV4_BYTES = FIELDS_BYTES + 2 * Integer.BYTES;
  private static final int OTHER_BYTES = FIELDS_BYTES + ADDRESSES_BYTES;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final byte[] ipv4 = new byte[IPV4_BYTES];
  private final byte[] other = new byte[OTHER_BYTES];

  static void build(
      StreamExecutionEnvironment environment,
      Source<PacketBlock, ?, ?> source,
      PlatformOptions options) {
    environment.getConfig().enableObjectReuse();
    environment
        .fromSource(source, WatermarkStrategy.noWatermarks(), "Rings")
        .uid("rings")
        .flatMap(new SinglePackets())
        .returns(PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)
        .sinkTo(
            KafkaSink.<byte[]>builder()
                .setBootstrapServers(options.kafka.bootstrapServers)
                // The platform job's settings suit small messages as well: the producer gathers
                // them.
                .setKafkaProducerConfig(KafkaSettings.producer(options.kafka))
                .setDeliveryGuarantee(options.kafka.delivery)
                .setTransactionalIdPrefix(options.kafka.transactionPrefix)
                .setRecordSerializer(new ToTopic(options.topic))
                .build())
        .uid("kafka");
  }

  @Override
  public void flatMap(PacketBlock block, Collector<byte[]> out) {
    for (int i = 0; i < block.count(); i++) {
      out.collect(message(block.segment(), block.offsetOf(i), block.timeBaseNs()));
    }
  }

  /** Valid until the next one: Kafka's producer copies it at once. */
  private byte[] message(MemorySegment segment, long offset, long timeBaseNs) {
    int descriptor = PacketRecord.descriptor(segment, offset);
    boolean isIpv4 = PacketRecord.isIpv4(PacketRecord.kind(descriptor));
    byte[] message = isIpv4 ? ipv4 : other;
    int end = isIpv4 ? putIpv4(segment, offset, message) : putAddresses(segment, offset, message);
    long timeNs = PacketRecord.timeNs(PacketRecord.timeLow(segment, offset), timeBaseNs);
    LONG.set(message, end, timeNs);
    INT.set(message, end + Long.BYTES, descriptor);
    copy(segment, offset + SOURCE_PORT_OFFSET, message, message.length - TAIL_BYTES, TAIL_BYTES);
    return message;
  }

  private static int putIpv4(MemorySegment segment, long offset, byte[] message) {
    copy(segment, offset + SOURCE_ADDRESS_OFFSET + IPV4_IN_IPV6, message, 0, Integer.BYTES);
    copy(
        segment,
        offset + DESTINATION_ADDRESS_OFFSET + IPV4_IN_IPV6,
        message,
        Integer.BYTES,
        Integer.BYTES);
    return 2 * Integer.BYTES;
  }

  private static int putAddresses(MemorySegment segment, long offset, byte[] message) {
    copy(segment, offset + SOURCE_ADDRESS_OFFSET, message, 0, ADDRESSES_BYTES);
    return ADDRESSES_BYTES;
  }

  private static void copy(
      MemorySegment segment, long offset, byte[] message, int index, int bytes) {
    MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, offset, message, index, bytes);
  }

  /** To partitions by ports, which both directions of a flow share: its order holds. */
  private record ToTopic(String topic) implements KafkaRecordSerializationSchema<byte[]> {
    private static final long serialVersionUID = 1L;

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
        byte[] message, KafkaSinkContext context, Long timestamp) {
      int ports = message.length - PORTS_FROM_END;
      int partition = (message[ports] ^ message[ports + 2]) & (FilledRings.RING_COUNT - 1);
      return new ProducerRecord<>(topic, partition, null, message);
    }
  }
}
