// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.kafka;

import dev.flowstone.format.PacketBatch;
import dev.flowstone.format.PacketBatchDecoder;
import dev.flowstone.format.PacketBatchHeader;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.model.abi.PacketRecordLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Packets of a topic as a read_committed consumer finds them, too many to be kept: how many, and a
 * sum that differs with any of their bytes, their times and their order; by stream, rule and
 * weight, however they are cut into messages.
 */
public final class PacketDigest {
  private static final long FACTOR = 0x9E3779B97F4A7C15L;

  private final PacketBatchDecoder decoder = new PacketBatchDecoder();
  private final Map<String, long[]> groups = new TreeMap<>();
  private long packets;
  private long lost;

  public static PacketDigest of(KafkaTopic topic, Duration limit) throws Exception {
    PacketDigest digest = new PacketDigest();
    CommittedMessages.readAll(topic, limit, digest::book);
    return digest;
  }

  private void book(ConsumerRecord<byte[], byte[]> message) {
    PacketBatch batch = PacketBatch.decode(decoder, message.value());
    PacketBatchHeader header = batch.header();
    packets += batch.count();
    lost += header.lossBefore().inRing();
    String group =
        "stream %x, rule %d, weight %d"
            .formatted(header.stream(), header.rule(), header.samplingWeight());
    long[] sums = groups.computeIfAbsent(group, _ -> new long[2]);
    sums[0] += batch.count();
    MemorySegment records = batch.records();
    for (int i = 0; i < batch.count(); i++) {
      sums[1] = sums[1] * FACTOR + batch.timeNs(i);
      // The low half of the time, which comes first, is relative to a base that a message chooses.
      for (long at = Integer.BYTES; at < PacketRecordLayout.SIZE_BYTES; at += Integer.BYTES) {
        int word = records.get(ValueLayout.JAVA_INT_UNALIGNED, batch.offsetBytes(i) + at);
        sums[1] = sums[1] * FACTOR + word;
      }
    }
  }

  /** What must be the same in two topics with the same packets. */
  public Map<String, String> groups() {
    Map<String, String> said = new TreeMap<>();
    groups.forEach((group, sums) -> said.put(group, "%d packets, %x".formatted(sums[0], sums[1])));
    return said;
  }

  public long packets() {
    return packets;
  }

  /** In rings, as the messages tell. */
  public long lost() {
    return lost;
  }
}
