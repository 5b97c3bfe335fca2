// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.platform;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.format.flink.PacketBatchKafkaSchema;
import dev.flowstone.jobs.platform.delivery.TransactionalPacketSink;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Carries every packet of a tap's rings to Kafka, as packet batches. */
public final class PlatformJob {
  private PlatformJob() {}

  /** Adds the job to an environment, ready to be executed. */
  public static void build(StreamExecutionEnvironment environment, PlatformOptions options) {
    build(environment, source(options), options);
  }

  /** The same job on another source of blocks. */
  public static void build(
      StreamExecutionEnvironment environment,
      Source<PacketBlock, ?, ?> source,
      PlatformOptions options) {
    requireCommits(environment, options);
    environment
        .fromSource(source, WatermarkStrategy.noWatermarks(), "Rings")
        .uid("rings")
        .sinkTo(sink(options))
        .name("Kafka")
        .uid("kafka");
  }

  /** A job that never ends and takes no checkpoint would fill Kafka with what nobody may read. */
  private static void requireCommits(
      StreamExecutionEnvironment environment, PlatformOptions options) {
    if (options.delivery == DeliveryGuarantee.EXACTLY_ONCE
        && !options.bounded
        && !environment.getCheckpointConfig().isCheckpointingEnabled()) {
      throw new IllegalArgumentException(
          "exactly-once delivery commits with each checkpoint, and checkpointing is off: set"
              + " execution.checkpointing.interval, or choose --delivery at-least-once");
    }
  }

  /** The tap's rings, read as the options say. */
  public static FpgaSource source(PlatformOptions options) {
    FpgaSourceBuilder source =
        FpgaSource.builder()
            .readerName(options.readerName())
            .laneExpiry(options.laneExpiry)
            .release(options.release)
            .blockRecords(options.batchPackets)
            .minimumBlock(options.batchPackets, options.batchWait());
    options.rings.forEach(source::ringDirectory);
    if (options.bounded) {
      source.bounded();
    }
    return source.build();
  }

  /** The topic, written as the options say. */
  public static Sink<PacketBlock> sink(PlatformOptions options) {
    KafkaSink<PacketBlock> kafka =
        KafkaSink.<PacketBlock>builder()
            .setBootstrapServers(options.bootstrapServers)
            .setKafkaProducerConfig(KafkaSettings.producer(options))
            .setDeliveryGuarantee(options.delivery)
            .setTransactionalIdPrefix(options.transactionPrefix())
            // A name of its own for each: of a name used again nobody can say what was lost.
            .setTransactionNamingStrategy(TransactionNamingStrategy.INCREMENTING)
            .setRecordSerializer(
                new PacketBatchKafkaSchema(options.topic, options.body, options.batchPackets))
            .build();
    return options.delivery == DeliveryGuarantee.EXACTLY_ONCE
        ? new TransactionalPacketSink(
            kafka,
            options.onLostTransaction,
            KafkaSettings.admin(options),
            options.transactionPrefix())
        : kafka;
  }
}
