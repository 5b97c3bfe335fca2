// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import dev.flowstone.commandline.DurationConverter;
import dev.flowstone.connector.fpga.rings.HostName;
import dev.flowstone.jobs.endpoints.delivery.OnLostTransaction;
import dev.flowstone.jobs.entry.JobStart;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.connector.base.DeliveryGuarantee;
import picocli.CommandLine.Option;

/** How a job's messages get to Kafka. */
public final class KafkaOptions {
  /** Kafka counts its milliseconds in 31 bits. */
  private static final Duration LONGEST_TRANSACTION = Duration.ofDays(24);

  @Option(
      names = "--bootstrap-servers",
      paramLabel = "HOST:PORT",
      defaultValue = "localhost:9092",
      description = "Kafka brokers; default ${DEFAULT-VALUE}.")
  public String bootstrapServers = "localhost:9092";

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
      names = "--compression",
      paramLabel = "none|lz4|zstd",
      defaultValue = "none",
      description = "Kafka's compression.type: none, lz4, zstd. Default ${DEFAULT-VALUE}.")
  public Compression compression = Compression.NONE;

  @Option(
      names = "--transaction-prefix",
      paramLabel = "PREFIX",
      description =
          "Begins the names of Kafka transactions; a restarted job must keep it, two jobs must"
              + " differ. Default: --name and the name of the submitting host.")
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
  public Path propertiesFile;

  @Option(
      names = "--kafka-property",
      paramLabel = "KEY=VALUE",
      description = "One such property; prevails over the file's. May be repeated.")
  public Map<String, String> property = new LinkedHashMap<>();

  /** Throws for a value that makes no sense, by the name of its option. */
  public void requireSense() {
    AllowedRange.require(
        "--transaction-timeout", transactionTimeout, Duration.ofSeconds(1), LONGEST_TRANSACTION);
  }

  /**
   * Throws where it can be known that the brokers will refuse the job; warns of what they will do
   * in its place.
   *
   * @param topics that the job writes to; one may be wanted for several things
   */
  public void check(List<WantedTopic> topics, JobStart start) throws InterruptedException {
    try (ReachedBrokers brokers = ReachedBrokers.reach(this, start)) {
      if (isExactlyOnce()) {
        TransactionLimit.check(this, brokers, start);
      }
      new RequiredTopics(this, brokers, start).check(topics);
    }
  }

  public boolean isExactlyOnce() {
    return delivery == DeliveryGuarantee.EXACTLY_ONCE;
  }

  /** What a client says of its settings, without what stands in those that may be secrets. */
  String withoutSecrets(String words) {
    return KafkaSettings.secrets(this).stream().reduce(words, (said, it) -> said.replace(it, "…"));
  }

  /**
   * Two hosts that run the same command get different prefixes, so that neither fences the other.
   */
  String transactionPrefix(String jobName) {
    if (transactionPrefix != null) {
      return transactionPrefix;
    }
    // Without transactions, a host without a name will do.
    return isExactlyOnce() ? jobName + "-" + HostName.local() : jobName;
  }
}
