// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.platform;

import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.connector.fpga.ReleaseMode;
import dev.flowstone.format.BodyKind;
import dev.flowstone.format.PacketBatchEncoder;
import dev.flowstone.jobs.entry.DurationConverter;
import dev.flowstone.jobs.platform.delivery.OnLostTransaction;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.flink.connector.base.DeliveryGuarantee;
import picocli.CommandLine.Option;

/** What the job can be told; every option has a default but the rings. */
public final class PlatformOptions {
  /** More is no waiting for packets any more. */
  private static final long MOST_BATCH_WAIT_MS = 60_000;

  /** Kafka counts its milliseconds in 31 bits. */
  private static final Duration LONGEST_TRANSACTION = Duration.ofDays(24);

  @Option(
      names = "--rings",
      required = true,
      paramLabel = "DIR",
      description = "Folder that a tap fills. May be repeated.")
  public List<Path> rings = List.of();

  @Option(
      names = "--name",
      paramLabel = "NAME",
      defaultValue = PlatformCommand.NAME,
      description =
          "What this job is called; two jobs on the same rings or brokers must differ. Default"
              + " ${DEFAULT-VALUE}.")
  public String name = PlatformCommand.NAME;

  @Option(
      names = "--bootstrap-servers",
      paramLabel = "HOST:PORT",
      defaultValue = "localhost:9092",
      description = "Kafka brokers; default ${DEFAULT-VALUE}.")
  public String bootstrapServers = "localhost:9092";

  @Option(
      names = "--topic",
      paramLabel = "NAME",
      defaultValue = "packets",
      description =
          "Topic of the packet batches; it wants one partition for each ring. Default ${DEFAULT-VALUE}.")
  public String topic = "packets";

  @Option(
      names = "--delivery",
      paramLabel = "exactly-once|at-least-once",
      defaultValue = "exactly-once",
      converter = DeliveryConverter.class,
      description =
          "exactly-once: in transactions, visible to read_committed consumers after each"
              + " checkpoint; at-least-once: visible at once, repeated after a failure. Default"
              + " ${DEFAULT-VALUE}.")
  public DeliveryGuarantee delivery = DeliveryGuarantee.EXACTLY_ONCE;

  @Option(
      names = "--body",
      paramLabel = "columns|raw",
      defaultValue = "columns",
      description =
          "columns: a fifth to a tenth of the bytes; raw: records as they are. Default ${DEFAULT-VALUE}.")
  public BodyKind body = BodyKind.COLUMNS;

  @Option(
      names = "--compression",
      paramLabel = "none|lz4|zstd",
      defaultValue = "none",
      description = "Kafka's compression.type: none, lz4, zstd. Default ${DEFAULT-VALUE}.")
  public Compression compression = Compression.NONE;

  @Option(
      names = "--batch-packets",
      paramLabel = "N",
      defaultValue = "16000",
      description =
          "Most packets in a message; 16000 raw records fit the default max.message.bytes. Default ${DEFAULT-VALUE}.")
  public int batchPackets = 16_000;

  @Option(
      names = "--batch-wait-ms",
      paramLabel = "N",
      defaultValue = "50",
      description =
          "How long a message waits for its packets when they come slowly. More: fewer and larger"
              + " messages. Default ${DEFAULT-VALUE}.")
  public long batchWaitMs = 50;

  @Option(
      names = "--release",
      paramLabel = "on_checkpoint|on_read",
      defaultValue = "on_checkpoint",
      description =
          "on_checkpoint: ring space is given back when a checkpoint completes; on_read: at once."
              + " Default ${DEFAULT-VALUE}.")
  public ReleaseMode release = ReleaseMode.ON_CHECKPOINT;

  @Option(names = "--bounded", description = "End when the tap says that nothing more will come.")
  public boolean bounded;

  @Option(
      names = "--transaction-prefix",
      paramLabel = "PREFIX",
      description =
          "Begins the names of Kafka transactions; a restarted job must keep it, two jobs must"
              + " differ. Default: --name.")
  public String transactionPrefix;

  @Option(
      names = "--transaction-timeout",
      defaultValue = "15 min",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "How long the job may be away: a transaction that is older is given up by Kafka, with its"
              + " packets. No more than the broker's transaction.max.timeout.ms. More: after a job"
              + " that never comes back consumers wait longer. Default ${DEFAULT-VALUE}.")
  public Duration transactionTimeout = Duration.ofMinutes(15);

  @Option(
      names = "--on-lost-transaction",
      paramLabel = "fail|continue",
      defaultValue = "fail",
      description =
          "When the job was away too long: fail, once, naming checkpoint and transaction; continue:"
              + " go on, count the packets and tell consumers that they are lost. Default"
              + " ${DEFAULT-VALUE}.")
  public OnLostTransaction onLostTransaction = OnLostTransaction.FAIL;

  @Option(
      names = "--kafka-properties",
      paramLabel = "FILE",
      description =
          "Properties of Kafka's clients, as for TLS or SASL; read where the job is submitted, and"
              + " part of the job from there on.")
  public Path kafkaProperties;

  @Option(
      names = "--kafka-property",
      paramLabel = "KEY=VALUE",
      description = "One such property; prevails over the file's. May be repeated.")
  public Map<String, String> kafkaProperty = new LinkedHashMap<>();

  @Option(
      names = "--reader-name",
      paramLabel = "NAME",
      description = "The name under which the rings know this job. Default: --name.")
  public String readerName;

  @Option(
      names = "--lane-expiry",
      defaultValue = "10 min",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "After that long without this job (down, or cancelled for good) a tap takes its rings' space;"
              + " packets that it has not read by then are counted as missed when it comes back."
              + " Default ${DEFAULT-VALUE}.")
  public Duration laneExpiry = Duration.ofMinutes(10);

  /** Throws for a value that makes no sense, by the name of its option. */
  void requireSense() {
    require(
        "--batch-packets",
        (long) batchPackets,
        1L,
        (long) PacketBatchEncoder.MAX_COUNT,
        Object::toString);
    require("--batch-wait-ms", batchWaitMs, 0L, MOST_BATCH_WAIT_MS, Object::toString);
    require(
        "--transaction-timeout",
        transactionTimeout,
        Duration.ofSeconds(1),
        LONGEST_TRANSACTION,
        DurationConverter::spell);
    require(
        "--lane-expiry",
        laneExpiry,
        FpgaSourceBuilder.SHORTEST_EXPIRY,
        FpgaSourceBuilder.LONGEST_EXPIRY,
        DurationConverter::spell);
  }

  private static <T extends Comparable<T>> void require(
      String option, T value, T least, T most, Function<T, String> spell) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          "%s must be %s to %s: %s"
              .formatted(option, spell.apply(least), spell.apply(most), spell.apply(value)));
    }
  }

  String transactionPrefix() {
    return transactionPrefix == null ? name : transactionPrefix;
  }

  String readerName() {
    return readerName == null ? name : readerName;
  }

  Duration batchWait() {
    return Duration.ofMillis(batchWaitMs);
  }
}
