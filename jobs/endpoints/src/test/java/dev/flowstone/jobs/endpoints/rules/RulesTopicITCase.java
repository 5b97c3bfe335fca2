// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.broker.process.SharedBroker;
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
import dev.flowstone.operators.ruled.LiveRules;
import dev.flowstone.operators.ruled.RuledBlocks;
import dev.flowstone.rules.TextFile;
import dev.flowstone.rules.function.Pass;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A job whose rules come from a topic of a real broker. */
@Timeout(120)
class RulesTopicITCase {
  private static final InMemoryReporter METRICS = InMemoryReporter.createWithRetainedMetrics();
  private static final byte[] LATIN1 = {'#', (byte) 0xe9};
  private static final String GOOD = "rules: []\ndefault: {function: drop}";
  private static final String BETTER = "rules: []\ndefault: {function: pass, flow_id: 1}";

  /** Version 1 is the job's own rules. */
  private static final long FIRST_OF_TOPIC = 2;

  @TempDir private static Path folder;
  private static LocalCluster cluster;
  private ScratchFolder rings;
  private RulesTopic topic;
  private LocalJob job;

  @BeforeAll
  static void startCluster() throws Exception {
    Configuration configuration = METRICS.addToConfiguration(new Configuration());
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(200));
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.resolve("checkpoints").toUri().toString());
    cluster = LocalCluster.start(new ClusterSize(1, 16, 16), configuration);
  }

  @AfterAll
  static void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @BeforeEach
  void prepare(TestInfo test) throws Exception {
    topic =
        new RulesTopic(
            SharedBroker.bootstrapServers(), test.getTestMethod().orElseThrow().getName());
    rings = ScratchFolder.inMemory("rules-test");
    RingSetWriter.create(
            new RingDirectory(rings.path()),
            new RingSpecification(
                1, 10, RingClock.SYNTHETIC, LocalCluster.MAX_PARALLELISM, "test", Optional.empty()),
            WhenFull.DROP)
        .close();
  }

  @AfterEach
  void stopJob() throws Exception {
    if (job != null && job.isRunning()) {
      job.cancel();
    }
    rings.close();
  }

  @Test
  void shouldRunWithoutATopicAndTakeItsRulesWhenItComes() throws Exception {
    submit();
    await(() -> number("rulesLooksFailed") > 0);
    topic.create(1);
    topic.send(GOOD);
    await(() -> number("rulesVersion") == FIRST_OF_TOPIC);
  }

  @Test
  void shouldKeepItsRulesWhenMessagesAreNoRules() throws Exception {
    topic.create(1);
    topic.send(GOOD);
    submit();
    await(() -> number("rulesVersion") == FIRST_OF_TOPIC);
    topic.send("rules: {", "");
    topic.send((byte[]) null);
    topic.send(LATIN1);
    topic.send(new byte[TextFile.MOST_BYTES + 1]);
    await(() -> number("rulesRefused") == 5);
    assertThat(number("rulesVersion")).isEqualTo(FIRST_OF_TOPIC);
  }

  @Test
  void shouldContinueWithoutABrokerAndReadTheTopicWhenItIsBack() throws Exception {
    BrokerOptions options = BrokerOptions.in(folder.resolve("kafka"));
    BrokerProcess broker = BrokerProcess.start(options);
    try {
      topic = new RulesTopic(broker.bootstrapServers(), topic.name());
      topic.create(1);
      topic.send(GOOD);
      Duration answerLimit = Duration.ofMillis(500);
      submit(
          ofTheJob().watching(RulesTopicWatch.of(topic.name(), topic.options(), answerLimit)),
          null);
      await(() -> number("rulesVersion") == FIRST_OF_TOPIC);
      broker.handle().destroyForcibly();
      broker.handle().onExit().join();
      long failed = number("rulesLooksFailed");
      await(() -> number("rulesLooksFailed") > failed);
      broker = BrokerProcess.start(options.onPort(broker.port()));
      topic.send(BETTER);
      await(() -> number("rulesVersion") == FIRST_OF_TOPIC + 1);
    } finally {
      broker.close();
    }
  }

  @Test
  void shouldKeepItsRulesOverASavepointAndReadATopicThatWasMadeAnew() throws Exception {
    topic.create(1);
    topic.send(GOOD);
    submit();
    await(() -> number("rulesVersion") == FIRST_OF_TOPIC);
    awaitCheckpoint();
    String savepoint = job.stop(folder.resolve("savepoints"));
    topic.delete();
    submit(ofTheTopic(), savepoint);
    await(() -> number("rulesLooksFailed") > 0);
    assertThat(number("rulesVersion")).isEqualTo(FIRST_OF_TOPIC);
    topic.create(1);
    topic.send(GOOD, BETTER, "rubbish");
    await(() -> number("rulesRefused") == 1);
    await(() -> number("rulesVersion") == FIRST_OF_TOPIC + 1);
  }

  /** Packet batches in the rules topic would displace the corrected rules. */
  @Test
  void rejectsRulesThatNameTheRulesTopic() throws Exception {
    topic.create(1);
    topic.send(GOOD);
    submit();
    await(() -> number("rulesVersion") == FIRST_OF_TOPIC);
    topic.send("rules: []\ndefault: {function: pass, topic: " + topic.name() + "}");
    await(() -> number("rulesRefused") == 1);
    topic.send(BETTER);
    await(() -> number("rulesVersion") == FIRST_OF_TOPIC + 1);
  }

  @Test
  void shouldHoldRulesBackUntilTheTopicThatTheyNameIsThere() throws Exception {
    String elsewhere = topic.name() + "-elsewhere";
    topic.create(1);
    topic.send(GOOD);
    submit();
    await(() -> number("rulesVersion") == FIRST_OF_TOPIC);
    topic.send(
        "rules: [{name: web, match: {source_port: 443}, function: pass, topic: " + elsewhere + "}]",
        "rubbish");
    await(() -> number("rulesRefused") == 1);
    await(() -> number("rulesWaiting") == 1);
    assertThat(number("rulesVersion")).isEqualTo(FIRST_OF_TOPIC);
    new KafkaTopic(topic.bootstrapServers(), elsewhere).create(1);
    await(() -> number("rulesVersion") == FIRST_OF_TOPIC + 1);
    await(() -> number("rulesWaiting") == 0);
  }

  private void submit() throws Exception {
    submit(ofTheTopic(), null);
  }

  private LiveRules ofTheTopic() {
    RulesOptions options = new RulesOptions();
    options.topic = topic.name();
    options.ruleTopics = Pattern.compile(".*-elsewhere");
    return options.live(Pass.unchanged(), topic.options(), _ -> {});
  }

  private LiveRules ofTheJob() {
    return new RulesOptions().live(Pass.unchanged(), topic.options(), _ -> {});
  }

  /** Null: from no savepoint. */
  private void submit(LiveRules rules, String savepoint) throws Exception {
    job =
        cluster.submit(
            1,
            environment -> {
              if (savepoint != null) {
                environment.configure(
                    new Configuration().set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint));
              }
              RuledBlocks.of(
                      FlowExchange.NEVER.read(
                          environment, FpgaSource.builder().ringDirectory(rings.path()), "rings"),
                      rules,
                      "rules")
                  .uid("rules")
                  .of(FunctionKind.PASS)
                  .sinkTo(new DiscardingSink<>())
                  .uid("nowhere");
            });
  }

  /** What the job's coordinator counts; -1: nothing yet. */
  private long number(String name) {
    return METRICS.findMetrics(job.id(), name).entrySet().stream()
        .filter(each -> each.getKey().contains("jobmanager"))
        .map(Map.Entry<String, Metric>::getValue)
        .mapToLong(
            metric ->
                metric instanceof Counter counter
                    ? counter.getCount()
                    : ((Number) ((Gauge<?>) metric).getValue()).longValue())
        .findFirst()
        .orElse(-1);
  }

  /** Then all tasks of the job run: rules come before packets. */
  private void awaitCheckpoint() throws Exception {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (job.checkpoints().getCounts().getNumberOfCompletedCheckpoints() == 0) {
      assertThat(System.nanoTime() - endNs).as("no checkpoint completed").isNegative();
      Thread.sleep(50);
    }
  }

  private void await(BooleanSupplier done) throws Exception {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!done.getAsBoolean()) {
      assertThat(job.isRunning()).isTrue();
      assertThat(job.latestFailure()).isEmpty();
      assertThat(System.nanoTime() - endNs)
          .as(
              "version %d, refused %d, looks failed %d",
              number("rulesVersion"), number("rulesRefused"), number("rulesLooksFailed"))
          .isNegative();
      Thread.sleep(50);
    }
  }
}
