// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.platform;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.format.flink.PacketBatchKafkaSchema;
import java.util.Properties;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.ProducerConfig;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Carries every packet of a tap's rings to Kafka, as packet batches. */
public final class PlatformJob {
  /** Large messages, few requests: a batch of the producer holds several of ours. */
  private static final int PRODUCER_BATCH_BYTES = 1 << 20;

  private static final int PRODUCER_BUFFER_BYTES = 64 << 20;
  private static final int MOST_REQUEST_BYTES = 8 << 20;

  /**
   * Within the broker's default bound; a job that is down longer loses what it had not committed.
   */
  private static final int TRANSACTION_TIMEOUT_MS = 15 * 60 * 1000;

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
            .ringDirectory(options.rings)
            .readerName(options.readerName)
            .release(options.release)
            .blockRecords(options.batchPackets)
            .minimumBlock(options.batchPackets, options.batchWait());
    if (options.bounded) {
      source.bounded();
    }
    return source.build();
  }

  private static KafkaSink<PacketBlock> sink(PlatformOptions options) {
    Properties producer = new Properties();
    producer.setProperty(ProducerConfig.COMPRESSION_TYPE_CONFIG, options.compression.kafkaName());
    producer.setProperty(ProducerConfig.BATCH_SIZE_CONFIG, Integer.toString(PRODUCER_BATCH_BYTES));
    producer.setProperty(
        ProducerConfig.BUFFER_MEMORY_CONFIG, Integer.toString(PRODUCER_BUFFER_BYTES));
    producer.setProperty(
        ProducerConfig.MAX_REQUEST_SIZE_CONFIG, Integer.toString(MOST_REQUEST_BYTES));
    producer.setProperty(ProducerConfig.LINGER_MS_CONFIG, "5");
    producer.setProperty(
        ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, Integer.toString(TRANSACTION_TIMEOUT_MS));
    return KafkaSink.<PacketBlock>builder()
        .setBootstrapServers(options.bootstrapServers)
        .setKafkaProducerConfig(producer)
        .setDeliveryGuarantee(options.delivery)
        .setTransactionalIdPrefix(options.transactionPrefix)
        .setRecordSerializer(
            new PacketBatchKafkaSchema(options.topic, options.body, options.batchPackets))
        .build();
  }

  public static void main(String[] arguments) throws Exception {
    PlatformOptions options = new PlatformOptions();
    CommandLine line = new CommandLine(options).setCaseInsensitiveEnumValuesAllowed(true);
    if (!isToRun(line, arguments)) {
      return;
    }
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
    build(environment, options);
    environment.execute("Flowstone: packets to Kafka");
  }

  /**
   * False when help was asked for; what is wrong with an option reaches whoever submits the job.
   */
  private static boolean isToRun(CommandLine line, String... arguments) {
    try {
      line.parseArgs(arguments);
    } catch (ParameterException e) {
      throw new IllegalArgumentException(e.getMessage() + "; --help lists the options", e);
    }
    return !CommandLine.printHelpIfRequested(line.getParseResult());
  }
}
