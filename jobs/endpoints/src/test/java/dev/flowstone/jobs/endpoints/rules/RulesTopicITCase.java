// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.LocalJob;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.operators.ruled.FunctionKind;
import dev.flowstone.operators.ruled.RuledBlocks;
import dev.flowstone.rules.TextFile;
import dev.flowstone.rules.function.Pass;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job whose rules come from a topic of a real broker: whatever is written there, and wherever the
 * broker is, it runs, by the newest good ones.
 */
@Timeout(180)
class RulesTopicITCase {
  private static final InMemoryReporter METRICS = InMemoryReporter.createWithRetainedMetrics();
  private static final byte[] LATIN1 = {'#', (byte) 0xe9};
  private static final String GOOD = "rules: []\ndefault: {function: drop}";
  private static final String BETTER = "rules: []\ndefault: {function: pass, flow_id: 1}";
  private static final String BEST = "rules: []\ndefault: {function: pass, flow_id: 2}";
  private static final String ELSEWHERE =
      "rules: [{name: web, match: {source_port: 443}, function: pass, topic: elsewhere}]";

  @TempDir private Path folder;
  private BrokerProcess broker;

  @AfterEach
  void stopBroker() {
    if (broker != null) {
      broker.close();
    }
  }

  @Test
  void shouldGoByTheNewestGoodRulesWhateverHappens() throws Exception {
    BrokerOptions options = BrokerOptions.in(folder.resolve("kafka"));
    broker = BrokerProcess.start(options);
    options = options.onPort(broker.port());
    RulesTopic topic = new RulesTopic(broker.bootstrapServers(), "rules");
    try (ScratchFolder rings = emptyRings();
        LocalCluster cluster = startCluster()) {
      LocalJob job = submit(cluster, rings.path(), topic, null);
      await(job, () -> number(job, "rulesLooksFailed") > 0);
      topic.create(1);
      topic.send(GOOD);
      await(job, () -> number(job, "rulesVersion") == 2);

      topic.send("rules: {", "");
      topic.send((byte[]) null);
      topic.send(LATIN1);
      topic.send(new byte[TextFile.MOST_BYTES + 1]);
      await(job, () -> number(job, "rulesRefused") == 5);
      assertThat(number(job, "rulesVersion")).isEqualTo(2);

      broker.handle().destroyForcibly();
      broker.handle().onExit().join();
      long failed = number(job, "rulesLooksFailed");
      await(job, () -> number(job, "rulesLooksFailed") > failed);
      broker = BrokerProcess.start(options);
      topic.send(BETTER, "rubbish");
      await(job, () -> number(job, "rulesVersion") == 3);
      await(job, () -> number(job, "rulesRefused") == 6);

      String savepoint = job.stop(folder.resolve("savepoints"));
      topic.delete();
      LocalJob again = submit(cluster, rings.path(), topic, savepoint);
      await(again, () -> number(again, "rulesLooksFailed") > 0);
      assertThat(number(again, "rulesVersion")).isEqualTo(3);
      topic.create(1);
      topic.send(BETTER, BEST, "rubbish");
      await(again, () -> number(again, "rulesVersion") == 4);
      await(again, () -> number(again, "rulesRefused") == 1);

      topic.send(ELSEWHERE, "rubbish");
      await(again, () -> number(again, "rulesRefused") == 2);
      await(again, () -> number(again, "rulesWaiting") == 1);
      assertThat(number(again, "rulesVersion")).isEqualTo(4);
      new KafkaTopic(topic.bootstrapServers(), "elsewhere").create(1);
      await(again, () -> number(again, "rulesVersion") == 5);
      await(again, () -> number(again, "rulesWaiting") == 0);
      again.cancel();
    }
  }

  private static ScratchFolder emptyRings() throws Exception {
    ScratchFolder rings = ScratchFolder.inMemory("rules-test");
    RingSetWriter.create(
            new RingDirectory(rings.path()),
            new RingSpecification(
                1, 10, RingClock.SYNTHETIC, LocalCluster.MAX_PARALLELISM, "test", Optional.empty()),
            WhenFull.DROP)
        .close();
    return rings;
  }

  private LocalCluster startCluster() throws Exception {
    Configuration configuration = METRICS.addToConfiguration(new Configuration());
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(200));
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.resolve("checkpoints").toUri().toString());
    return LocalCluster.start(new ClusterSize(1, 16, 16), configuration);
  }

  private static LocalJob submit(
      LocalCluster cluster, Path rings, RulesTopic topic, String savepoint) throws Exception {
    return cluster.submit(
        1,
        environment -> {
          if (savepoint != null) {
            environment.configure(
                new Configuration().set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint));
          }
          build(environment, rings, topic);
        });
  }

  private static void build(StreamExecutionEnvironment environment, Path rings, RulesTopic topic) {
    RulesOptions rules = new RulesOptions();
    rules.topic = topic.name();
    RuledBlocks.of(
            FlowExchange.NEVER.read(
                environment, FpgaSource.builder().ringDirectory(rings), "rings"),
            rules.live(Pass.unchanged(), topic.options(), _ -> {}),
            "rules")
        .uid("rules")
        .of(FunctionKind.PASS)
        .sinkTo(new DiscardingSink<>())
        .uid("nowhere");
  }

  /** What the job's coordinator says; -1: nothing yet. */
  private static long number(LocalJob job, String name) {
    Map<String, Metric> found = METRICS.findMetrics(job.id(), name);
    return found.entrySet().stream()
        .filter(each -> each.getKey().contains("jobmanager"))
        .map(Map.Entry::getValue)
        .mapToLong(
            metric ->
                metric instanceof Counter counter
                    ? counter.getCount()
                    : ((Number) ((Gauge<?>) metric).getValue()).longValue())
        .findFirst()
        .orElse(-1);
  }

  private static void await(LocalJob job, BooleanSupplier done) throws Exception {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!done.getAsBoolean()) {
      assertThat(job.isRunning()).isTrue();
      assertThat(job.latestFailure()).isEmpty();
      assertThat(System.nanoTime() - endNs)
          .as(
              "version %d, refused %d, looks failed %d",
              number(job, "rulesVersion"),
              number(job, "rulesRefused"),
              number(job, "rulesLooksFailed"))
          .isNegative();
      Thread.sleep(50);
    }
  }
}
