// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.kafkastreams;

import dev.flowstone.format.PacketBatch;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.streams.processor.TimestampExtractor;

/**
 * The time of the one packet in a message; of one without packets, which tells a loss, its base.
 */
final class PacketTime implements TimestampExtractor {
  private static final long NS_PER_MS = 1_000_000;

  @Override
  public long extract(ConsumerRecord<Object, Object> message, long latestMs) {
    PacketBatch packet = (PacketBatch) message.value();
    if (packet.count() > 1) {
      throw new IllegalArgumentException(
          "topic %s, partition %d, offset %d: a message of %d packets; one for each is wanted (--batch-packets 1)"
              .formatted(message.topic(), message.partition(), message.offset(), packet.count()));
    }
    long timeNs = packet.count() == 0 ? packet.header().timeBaseNs() : packet.timeNs(0);
    return Math.floorDiv(timeNs, NS_PER_MS);
  }
}
