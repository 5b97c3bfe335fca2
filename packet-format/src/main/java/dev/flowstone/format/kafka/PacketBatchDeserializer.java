// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format.kafka;

import dev.flowstone.format.PacketBatch;
import dev.flowstone.format.PacketBatchDecoder;
import dev.flowstone.format.PacketBatchException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * Decodes the values of a topic of packet batches: {@code value.deserializer} = {@code
 * dev.flowstone.format.kafka.PacketBatchDeserializer}. One instance per consumer, as Kafka makes
 * them; not thread-safe.
 */
public final class PacketBatchDeserializer implements Deserializer<PacketBatch> {
  private final PacketBatchDecoder decoder = new PacketBatchDecoder();

  /** Returns null for a tombstone. */
  @Override
  public PacketBatch deserialize(String topic, byte[] data) {
    if (data == null) {
      return null;
    }
    try {
      return PacketBatch.decode(decoder, data);
    } catch (PacketBatchException refused) {
      // The consumer's own exception type: its error handling then knows the offset to skip.
      throw new SerializationException("topic " + topic + ": " + refused.getMessage(), refused);
    }
  }
}
