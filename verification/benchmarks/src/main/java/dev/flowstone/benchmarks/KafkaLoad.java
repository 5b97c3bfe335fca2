// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.format.PacketBatchDecoder;
import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.jobs.platform.PlatformOptions;
import java.util.Locale;
import java.util.function.ToLongFunction;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** How packets are sent to Kafka: in which messages, with which promise, by how many subtasks. */
record KafkaLoad(Messages messages, DeliveryGuarantee delivery, int parallelism) {

  enum Messages {
    /** The platform job's. */
    BATCHES,
    /** One for each packet, as an exporter without batches would write it. */
    SINGLES
  }

  KafkaLoad with(DeliveryGuarantee other) {
    return new KafkaLoad(messages, other, parallelism);
  }

  boolean isInTransactions() {
    return delivery == DeliveryGuarantee.EXACTLY_ONCE;
  }

  void build(
      StreamExecutionEnvironment environment,
      Source<PacketBlock, ?, ?> source,
      PlatformOptions options) {
    switch (messages) {
      case BATCHES -> PlatformJob.build(environment, source, options);
      case SINGLES -> SinglePackets.build(environment, source, options);
    }
  }

  /** How many packets a message holds. */
  ToLongFunction<byte[]> packetsOf() {
    PacketBatchDecoder decoder = new PacketBatchDecoder();
    return switch (messages) {
      case BATCHES -> message -> decoder.readHeader(message).count();
      case SINGLES -> message -> 1;
    };
  }

  @Override
  public String toString() {
    return "%s, %s, parallelism %d"
        .formatted(messages, delivery, parallelism)
        .toLowerCase(Locale.ROOT);
  }
}
