// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * What Kafka's clients are told: what suits packet batches, then what the file of properties says,
 * then what single properties say, then what is the job's own. Values may be secrets: no message
 * repeats one.
 */
public final class KafkaSettings {
  /** Large messages, few requests: a batch of the producer holds several of ours. */
  private static final int PRODUCER_BATCH_BYTES = 1 << 20;

  private static final int PRODUCER_BUFFER_BYTES = 64 << 20;
  private static final int MOST_REQUEST_BYTES = 8 << 20;

  /** Kafka counts it in an int of milliseconds. */
  private static final Duration MOST_TRANSACTION_TIMEOUT = Duration.ofMillis(Integer.MAX_VALUE);

  private static final Pattern SECRET = Pattern.compile("password|jaas|secret|ssl.*\\.key$");
  private static final Pattern WORDS = Pattern.compile("[\\s\"';=]+");
  private static final int SHORTEST_SECRET = 3;

  private static final String JOB_DECIDES = "the job decides it";

  /** What nobody else may set, and why or how else. */
  private static final Map<String, String> OWN =
      Map.of(
          ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
          "use --bootstrap-servers",
          ProducerConfig.COMPRESSION_TYPE_CONFIG,
          "use --compression",
          ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
          "use --transaction-timeout",
          ProducerConfig.TRANSACTIONAL_ID_CONFIG,
          "use --transaction-prefix",
          ProducerConfig.ACKS_CONFIG,
          JOB_DECIDES,
          ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
          JOB_DECIDES,
          ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
          JOB_DECIDES,
          ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
          JOB_DECIDES);

  private KafkaSettings() {}

  /** Of the job's producers. */
  public static Properties producer(KafkaOptions options) {
    Properties producer = new Properties();
    producer.setProperty(ProducerConfig.BATCH_SIZE_CONFIG, Integer.toString(PRODUCER_BATCH_BYTES));
    producer.setProperty(
        ProducerConfig.BUFFER_MEMORY_CONFIG, Integer.toString(PRODUCER_BUFFER_BYTES));
    producer.setProperty(
        ProducerConfig.MAX_REQUEST_SIZE_CONFIG, Integer.toString(MOST_REQUEST_BYTES));
    producer.setProperty(ProducerConfig.LINGER_MS_CONFIG, "5");
    putAsked(producer, options);
    producer.setProperty(ProducerConfig.COMPRESSION_TYPE_CONFIG, options.compression.kafkaName());
    producer.setProperty(
        ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
        Long.toString(transactionTimeout(options).toMillis()));
    return producer;
  }

  /** For the client that asks the brokers how they are set up. */
  public static Properties admin(KafkaOptions options) {
    Properties admin = new Properties();
    putAsked(admin, options);
    admin.setProperty(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, options.bootstrapServers);
    return admin;
  }

  /** Words of passwords and logins, which no message may repeat. */
  static Set<String> secrets(KafkaOptions options) {
    Properties asked = new Properties();
    putAsked(asked, options);
    return asked.stringPropertyNames().stream()
        .filter(name -> SECRET.matcher(name).find())
        .flatMap(name -> WORDS.splitAsStream(asked.getProperty(name)))
        .filter(word -> word.length() >= SHORTEST_SECRET)
        .collect(Collectors.toSet());
  }

  private static Duration transactionTimeout(KafkaOptions options) {
    Duration timeout = options.transactionTimeout;
    if (timeout.toMillis() < 1 || timeout.compareTo(MOST_TRANSACTION_TIMEOUT) > 0) {
      throw new IllegalArgumentException(
          "--transaction-timeout must be 1 ms to %d ms: %s"
              .formatted(MOST_TRANSACTION_TIMEOUT.toMillis(), timeout));
    }
    return timeout;
  }

  private static void putAsked(Properties properties, KafkaOptions options) {
    if (options.propertiesFile != null) {
      Properties file = read(options.propertiesFile);
      file.stringPropertyNames().forEach(name -> requireFree(name, "" + options.propertiesFile));
      properties.putAll(file);
    }
    options.property.keySet().forEach(name -> requireFree(name, "--kafka-property"));
    properties.putAll(options.property);
  }

  private static Properties read(Path file) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
      return properties;
    } catch (IOException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "--kafka-properties: cannot read " + file + ": " + Reason.of(e), e);
    }
  }

  private static void requireFree(String name, String place) {
    if (OWN.containsKey(name)) {
      throw new IllegalArgumentException(
          place + ": " + name + " cannot be set there; " + OWN.get(name));
    }
  }
}
