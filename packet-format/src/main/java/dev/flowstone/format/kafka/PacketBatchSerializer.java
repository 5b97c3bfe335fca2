// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format.kafka;

import dev.flowstone.format.PacketBatch;
import org.apache.kafka.common.serialization.Serializer;

/** Sends a batch on as the very message it came as. */
public final class PacketBatchSerializer implements Serializer<PacketBatch> {
  @Override
  public byte[] serialize(String topic, PacketBatch batch) {
    return batch == null ? null : batch.toMessage();
  }
}
