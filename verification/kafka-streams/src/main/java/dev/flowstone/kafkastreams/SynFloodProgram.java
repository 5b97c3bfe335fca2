// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.kafkastreams;

import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;

/**
 * Runs {@link SynFlood} with Kafka Streams as it is, until so many packets were read; says
 * meanwhile how many these are, a number in each line.
 */
public final class SynFloodProgram {
  private static final String APPLICATION = "syn-flood";
  private static final long LOOK_INTERVAL_MS = 50;

  private SynFloodProgram() {}

  /** Arguments: brokers, topic of packets, topic of results, packets to read, folder for state. */
  public static void main(String[] arguments) throws InterruptedException {
    long packets = Long.parseLong(arguments[3]);
    SynCounts counts = new SynCounts();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (KafkaStreams streams =
        new KafkaStreams(
            SynFlood.of(arguments[1], arguments[2], counts),
            configuration(arguments[0], arguments[2], arguments[4]))) {
      streams.setUncaughtExceptionHandler(
          thrown -> {
            failure.compareAndSet(null, thrown);
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
          });
      streams.start();
      while (failure.get() == null && !counts.isDone(packets)) {
        System.out.println(Math.min(counts.packets(), packets - 1));
        Thread.sleep(LOOK_INTERVAL_MS);
      }
      if (failure.get() != null) {
        throw new IllegalStateException(failure.get());
      }
      // Whoever measures it looks now: soon it is gone.
      System.out.println(packets - 1);
    }
    // Closed before: whoever reads this finds all results in their topic.
    System.out.println(packets);
  }

  /** One for each topic of results: a broker waits 45 s for the last that had the same name. */
  private static Properties configuration(String brokers, String resultsTopic, String folder) {
    Properties properties = new Properties();
    properties.setProperty(StreamsConfig.APPLICATION_ID_CONFIG, APPLICATION + "-" + resultsTopic);
    properties.setProperty(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, brokers);
    properties.setProperty(StreamsConfig.STATE_DIR_CONFIG, folder);
    return properties;
  }
}
