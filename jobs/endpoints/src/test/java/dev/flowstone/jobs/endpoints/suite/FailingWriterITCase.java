// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.broker.process.SharedBroker;
import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.FatalErrors;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.LocalJob;
import dev.flowstone.jobs.endpoints.KafkaOptions;
import dev.flowstone.jobs.endpoints.KafkaSinks;
import dev.flowstone.jobs.endpoints.PacketBatchOptions;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A job whose messages the broker rejects fails alone, and the TaskManager keeps running. Only
 * messages that the broker stored count as confirmed.
 */
@Timeout(120)
class FailingWriterITCase {
  /** Less than the size of any batch. */
  private static final Map<String, String> REJECT_ALL = Map.of("max.message.bytes", "60");

  private static final int RESTARTS = 2;
  private static final long LOOK_MS = 10;
  private static final ObjectName PRODUCERS =
      objectName("kafka.producer:type=producer-metrics,client-id=*");
  private static final String FAILURE = "of the function before the sink";

  /** Of the job that runs: its cluster closes it. */
  private static InMemoryReporter metrics;

  private final List<Throwable> fatal = new CopyOnWriteArrayList<>();

  @Test
  void failsItsOwnJobOnly() throws Exception {
    KafkaTopic topic = new KafkaTopic(SharedBroker.bootstrapServers(), "rejecting");
    topic.create(TextBlocks.RINGS, REJECT_ALL);
    assertThat(failureOfJob(topic.name(), FailingWriterITCase::sendAndFail))
        .hasStackTraceContaining(FAILURE);
    assertThat(fatal).isEmpty();
  }

  @Test
  void confirmsWhatTheBrokerStored() throws Exception {
    KafkaTopic topic = new KafkaTopic(SharedBroker.bootstrapServers(), "storing");
    topic.create(TextBlocks.RINGS, Map.of());
    assertThat(failureOfJob(topic.name(), FailingWriterITCase::sendAndAwaitConfirmations)).isNull();
  }

  /**
   * Fails in the call that sends, so that nothing reads the errors of the sends until the close.
   */
  private static void sendAndFail(Long number, Collector<String> sink) throws Exception {
    for (int ring = 0; ring < TextBlocks.RINGS; ring++) {
      sink.collect(Integer.toString(ring));
    }
    while (!haveAllSendsFailed()) {
      Thread.sleep(LOOK_MS);
    }
    if (unconfirmed() != TextBlocks.RINGS) {
      throw new IllegalStateException("confirmed, and failed");
    }
    throw new IllegalStateException(FAILURE);
  }

  private static void sendAndAwaitConfirmations(Long number, Collector<String> sink)
      throws Exception {
    for (int ring = 0; ring < TextBlocks.RINGS; ring++) {
      sink.collect(Integer.toString(ring));
    }
    while (unconfirmed() != 0) {
      Thread.sleep(LOOK_MS);
    }
  }

  /** Of the writer that runs. */
  private static long unconfirmed() {
    List<Long> values =
        metrics.getMetricsByGroup().values().stream()
            .map(group -> group.get("unconfirmed"))
            .filter(Objects::nonNull)
            .map(metric -> (Long) ((Gauge<?>) metric).getValue())
            .toList();
    assertThat(values).hasSize(1);
    return values.getFirst();
  }

  /**
   * Returns whether the producer has counted the error of each ring's message. One thread counts an
   * error and then hands it to the writer, so that the writer has at least the first one by then.
   */
  private static boolean haveAllSendsFailed() throws Exception {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    for (ObjectName producer : beans.queryNames(PRODUCERS, null)) {
      if ((double) beans.getAttribute(producer, "record-error-total") >= TextBlocks.RINGS) {
        return true;
      }
    }
    return false;
  }

  private static ObjectName objectName(String name) {
    try {
      return new ObjectName(name);
    } catch (MalformedObjectNameException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private Throwable failureOfJob(String topic, FlatMapFunction<Long, String> sending)
      throws Exception {
    metrics = InMemoryReporter.create();
    Configuration configuration = metrics.addToConfiguration(new Configuration());
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(100));
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, RESTARTS);
    configuration.set(
        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(1));
    KafkaOptions options = new KafkaOptions();
    options.bootstrapServers = SharedBroker.bootstrapServers();
    options.delivery = DeliveryGuarantee.AT_LEAST_ONCE;
    FatalErrors.listen(fatal::add);
    try (LocalCluster cluster = LocalCluster.start(new ClusterSize(1, 16, 16), configuration)) {
      LocalJob job =
          cluster.submit(
              1,
              environment ->
                  environment
                      .fromSequence(0, 0)
                      .flatMap(sending)
                      .returns(Types.STRING)
                      .sinkTo(
                          new TextSink<>(
                              KafkaSinks.ofPackets(
                                  options, "failing", topic, new PacketBatchOptions()))));
      return job.result().handle((_, reason) -> reason).get();
    }
  }
}
