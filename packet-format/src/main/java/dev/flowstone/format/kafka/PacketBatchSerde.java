// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format.kafka;

import dev.flowstone.format.PacketBatch;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serializer;

/** Both directions for Kafka Streams: {@code Consumed.with(keySerde, new PacketBatchSerde())}. */
public final class PacketBatchSerde implements Serde<PacketBatch> {
  @Override
  public Serializer<PacketBatch> serializer() {
    return new PacketBatchSerializer();
  }

  @Override
  public Deserializer<PacketBatch> deserializer() {
    return new PacketBatchDeserializer();
  }
}
