// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format.kafka;

import dev.flowstone.format.PacketBatch;
import dev.flowstone.format.PacketBatchHeader;
import dev.flowstone.model.AddressText;
import dev.flowstone.model.PacketRecord;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.MessageFormatter;
import org.apache.kafka.common.errors.SerializationException;

/**
 * Lets Kafka's console consumer print packets, one line of JSON each: {@code --formatter
 * dev.flowstone.format.kafka.PacketJsonFormatter}. Fields are named as in the Python package, and
 * addresses are text; the generation, which names a slot of the ring, is left out. A loss is a line
 * of its own before the packets that follow it. Needs the jars packet-format and packet-model.
 */
public final class PacketJsonFormatter implements MessageFormatter {
  private final PacketBatchDeserializer deserializer = new PacketBatchDeserializer();
  private final StringBuilder line = new StringBuilder();

  @Override
  public void writeTo(ConsumerRecord<byte[], byte[]> message, PrintStream output) {
    PacketBatch batch = read(message);
    if (batch == null) {
      return;
    }
    if (!batch.header().lossBefore().isNone()) {
      writeLoss(batch.header());
      output.append(line).append('\n');
    }
    for (int i = 0; i < batch.count(); i++) {
      writePacket(batch, i);
      output.append(line).append('\n');
    }
  }

  private PacketBatch read(ConsumerRecord<byte[], byte[]> message) {
    try {
      return deserializer.deserialize(message.topic(), message.value());
    } catch (SerializationException refused) {
      throw new SerializationException(
          "partition "
              + message.partition()
              + ", offset "
              + message.offset()
              + ", "
              + refused.getMessage(),
          refused);
    }
  }

  private void writeLoss(PacketBatchHeader header) {
    begin("lost_before", header.lossBefore().inRing());
    add("lost_before_tap", header.lossBefore().beforeTap());
    add("stream", header.stream());
    end();
  }

  private void writePacket(PacketBatch batch, int index) {
    MemorySegment record = batch.records();
    long offset = batch.offsetBytes(index);
    int descriptor = PacketRecord.descriptor(record, offset);
    boolean ipv4 = PacketRecord.isIpv4(PacketRecord.kind(descriptor));
    begin("time_ns", batch.timeNs(index));
    add("flow_hash", Integer.toUnsignedLong(PacketRecord.flowHash(record, offset)));
    add(
        "source_address",
        AddressText.of(
            PacketRecord.sourceAddressHigh(record, offset),
            PacketRecord.sourceAddressLow(record, offset),
            ipv4));
    add(
        "destination_address",
        AddressText.of(
            PacketRecord.destinationAddressHigh(record, offset),
            PacketRecord.destinationAddressLow(record, offset),
            ipv4));
    add("source_port", PacketRecord.sourcePort(record, offset));
    add("destination_port", PacketRecord.destinationPort(record, offset));
    add("sequence", Integer.toUnsignedLong(PacketRecord.sequence(record, offset)));
    add("acknowledgement", Integer.toUnsignedLong(PacketRecord.acknowledgement(record, offset)));
    add("tcp_window", PacketRecord.tcpWindow(record, offset));
    add("payload_length", PacketRecord.payloadLength(record, offset));
    add("protocol", PacketRecord.protocol(record, offset));
    add("tcp_flags", PacketRecord.tcpFlags(record, offset));
    add("type_of_service", PacketRecord.typeOfService(record, offset));
    add("time_to_live", PacketRecord.timeToLive(record, offset));
    add("frame_length", PacketRecord.frameLength(descriptor));
    add("traffic_class", PacketRecord.trafficClass(descriptor));
    add("later_fragment", PacketRecord.isLaterFragment(descriptor) ? 1 : 0);
    add("ingress_port", PacketRecord.ingressPort(descriptor));
    add("kind", PacketRecord.kind(descriptor));
    add("weight", batch.header().samplingWeight());
    end();
  }

  private void begin(String name, long value) {
    line.setLength(0);
    line.append("{\"").append(name).append("\": ").append(value);
  }

  private void add(String name, long value) {
    line.append(", \"").append(name).append("\": ").append(value);
  }

  /** Addresses have nothing that JSON would want escaped. */
  private void add(String name, String value) {
    line.append(", \"").append(name).append("\": \"").append(value).append('"');
  }

  private void end() {
    line.append('}');
  }
}
