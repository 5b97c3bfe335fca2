// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.format.PacketBatchDecoder;
import dev.flowstone.format.PacketBatchHeader;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.jobs.endpoints.delivery.OnLostTransaction;
import dev.flowstone.jobs.entry.JobEntry;
import dev.flowstone.jobs.platform.PlatformCommand;
import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.offheap.Reason;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.testbed.faults.Checkpoints;
import dev.flowstone.testbed.kafka.TransactionWatch;
import dev.flowstone.testbed.programs.Programs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Stops a job with a savepoint whose transactions are not committed, and starts the job again after
 * Kafka has aborted or committed them.
 */
@Timeout(120)
class LostTransactionITCase {
  private static final int RING_COUNT = 2;
  private static final Duration SOON = Duration.ofSeconds(2);
  private static final Duration NEVER = Duration.ofHours(1);
  private static final Duration OFTEN = Duration.ofMillis(200);
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration LONG = Duration.ofMinutes(50);

  private static final Pattern LOST =
      Pattern.compile(
          "Kafka gave up transaction lost-run\\w+-0-\\d+ .* It holds ([\\d,]+) packets from after"
              + " checkpoint \\d+, which checkpoint \\d+, from which the job begins, counts as"
              + " delivered");

  @TempDir private static Path kafka;
  private static BrokerProcess broker;
  @TempDir private Path folder;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = BrokerProcess.start(BrokerOptions.in(kafka));
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Test
  void shouldFailOnceOrGoOnAndCountExactly() throws Exception {
    String topic = "lost";
    new KafkaTopic(broker.bootstrapServers(), topic).create(RING_COUNT);
    try (ScratchFolder rings = ScratchFolder.inMemory("lost-transactions");
        ChildProcess tap = startTap(rings.path())) {
      PlatformOptions options = options(rings.path(), topic);
      options.kafka.transactionTimeout = SOON;
      String savepoint = stopWithUncommittedSavepoint(options, 1);
      awaitAbort(topic);

      long lost = packetsOf(failureOf(start(options, NEVER, Optional.of(savepoint))));
      assertThat(lost).isPositive();

      tap.input().close();
      Programs.requireSuccess(tap, LIMIT);
      options.kafka.onLostTransaction = OnLostTransaction.CONTINUE;
      options.rings.bounded = true;
      result(start(options, OFTEN, Optional.of(savepoint)));
      checkSums(topic, lost);
    }
  }

  /** The broker fences a producer also when it commits: the packets are there all the same. */
  @Test
  void shouldGoOnWhenItsTransactionWasCommittedBeforeItWasStopped() throws Exception {
    String topic = "committed";
    new KafkaTopic(broker.bootstrapServers(), topic).create(RING_COUNT);
    try (ScratchFolder rings = ScratchFolder.inMemory("committed-transactions");
        ChildProcess tap = startTap(rings.path())) {
      PlatformOptions options = options(rings.path(), topic);
      Path retained = folder.resolve("retained");
      JobClient job = start(options, OFTEN, Optional.empty());
      await(
          listed ->
              listed.stream()
                  .anyMatch(
                      one ->
                          one.transactionalId().startsWith(topic)
                              && one.state() == TransactionState.COMPLETE_COMMIT));
      job.cancel().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
      tap.input().close();
      Programs.requireSuccess(tap, LIMIT);

      options.rings.bounded = true;
      Path checkpoint = new Checkpoints(retained).newest().orElseThrow();
      result(start(options, OFTEN, Optional.of(checkpoint.toUri().toString())));
      checkSums(topic, 0);
    }
  }

  /**
   * A subtask that commits several transactions of one savepoint, and is stopped before any
   * checkpoint of its own: Kafka's client uses the name of the second again.
   */
  @Test
  void shouldKnowAllThatItCommittedWhenItStartsOnceMoreFromTheSameSavepoint() throws Exception {
    KafkaTopic topic = new KafkaTopic(broker.bootstrapServers(), "once-more");
    topic.create(RING_COUNT);
    try (ScratchFolder rings = ScratchFolder.inMemory("committed-once-more");
        ChildProcess tap = startTap(rings.path());
        CommittedMessages messages = new CommittedMessages(topic)) {
      PlatformOptions options = options(rings.path(), topic.name());
      String savepoint = stopWithUncommittedSavepoint(options, RING_COUNT);
      assertThat(messages.committedEnds()).allSatisfy((_, end) -> assertThat(end).isZero());
      JobClient first = start(options, NEVER, Optional.of(savepoint));
      await(
          listed ->
              listed.stream()
                  .filter(one -> one.transactionalId().matches(topic.name() + "-run\\w+-[01]-1"))
                  .anyMatch(one -> one.state() == TransactionState.EMPTY));
      assertThat(messages.committedEnds()).allSatisfy((_, end) -> assertThat(end).isPositive());
      first.cancel().get(LIMIT.toSeconds(), TimeUnit.SECONDS);

      tap.input().close();
      Programs.requireSuccess(tap, LIMIT);
      options.rings.bounded = true;
      result(start(options, OFTEN, Optional.of(savepoint)));
      checkSums(topic.name(), 0);
    }
  }

  /** A run without a checkpoint: consumers wait behind what is open, and names are many. */
  @Test
  void shouldAbortWhatAFormerRunLeftOpenAndAskAboutNoOtherName() throws Exception {
    String topic = "former";
    new KafkaTopic(broker.bootstrapServers(), topic).create(RING_COUNT);
    try (ScratchFolder rings = ScratchFolder.inMemory("former-transactions");
        ChildProcess tap = startTap(rings.path())) {
      PlatformOptions options = options(rings.path(), topic);
      options.kafka.transactionTimeout = LONG;
      JobClient first = start(options, OFTEN, Optional.empty());
      Set<String> committed = new HashSet<>();
      await(
          listed -> {
            committed.addAll(names(listed, topic, TransactionState.COMPLETE_COMMIT));
            return committed.size() >= 3;
          });
      first.cancel().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
      stopWithUncommittedSavepoint(options, 1);
      Set<String> open = new HashSet<>();
      Set<String> known = new HashSet<>();
      await(
          listed -> {
            open.addAll(names(listed, topic, TransactionState.ONGOING));
            listed.forEach(one -> known.add(one.transactionalId()));
            return !open.isEmpty();
          });

      JobClient last = start(options, OFTEN, Optional.empty());
      // Its first name is none of theirs, and theirs are as they were.
      await(
          listed -> {
            Set<String> now = names(listed, topic, TransactionState.COMPLETE_COMMIT);
            return now.stream().anyMatch(name -> name.endsWith("-0-1") && !known.contains(name))
                && now.containsAll(committed)
                && Collections.disjoint(names(listed, topic, TransactionState.ONGOING), open);
          });
      last.cancel().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
      tap.input().close();
      Programs.requireSuccess(tap, LIMIT);
    }
  }

  /** It began after the savepoint, so that the savepoint knows nothing of it. */
  @Test
  void shouldAbortWhatAnotherRunFromTheSameSavepointLeftOpen() throws Exception {
    String topic = "again";
    new KafkaTopic(broker.bootstrapServers(), topic).create(RING_COUNT);
    try (ScratchFolder rings = ScratchFolder.inMemory("again-transactions");
        ChildProcess tap = startTap(rings.path())) {
      PlatformOptions options = options(rings.path(), topic);
      options.kafka.transactionTimeout = LONG;
      String savepoint = stopWithUncommittedSavepoint(options, 1);
      JobClient stopped = start(options, NEVER, Optional.of(savepoint));
      Set<String> open = new HashSet<>();
      await(
          listed -> {
            names(listed, topic, TransactionState.ONGOING).stream()
                .filter(name -> name.endsWith("-0-2"))
                .forEach(open::add);
            return !open.isEmpty();
          });
      stop(stopped);

      JobClient last = start(options, OFTEN, Optional.of(savepoint));
      await(
          listed ->
              Collections.disjoint(names(listed, topic, TransactionState.ONGOING), open)
                  && names(listed, topic, TransactionState.COMPLETE_COMMIT).size() > 1);
      last.cancel().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
      tap.input().close();
      Programs.requireSuccess(tap, LIMIT);
    }
  }

  private static Set<String> names(
      Collection<TransactionListing> listed, String topic, TransactionState state) {
    return listed.stream()
        .filter(one -> one.transactionalId().startsWith(topic) && one.state() == state)
        .map(TransactionListing::transactionalId)
        .collect(Collectors.toSet());
  }

  /** Ends: a job that may be restarted for ever is not. */
  private static String failureOf(JobClient job) {
    Throwable failure = catchThrowable(() -> result(job));
    assertThat(failure).isInstanceOf(ExecutionException.class);
    return Reason.ofRoot(failure);
  }

  /** What the failure says was lost; it names checkpoint, transaction and remedy as well. */
  private static long packetsOf(String failure) {
    Matcher matcher = LOST.matcher(failure);
    assertThat(matcher.find()).as(failure).isTrue();
    assertThat(failure).contains("--on-lost-transaction continue");
    return Long.parseLong(matcher.group(1).replace(",", ""));
  }

  private void checkSums(String topic, long expectedLost) throws Exception {
    PacketBatchDecoder decoder = new PacketBatchDecoder();
    AtomicLong packets = new AtomicLong();
    AtomicLong lost = new AtomicLong();
    CommittedMessages.readAll(
        new KafkaTopic(broker.bootstrapServers(), topic),
        LIMIT,
        message -> {
          PacketBatchHeader header = decoder.readHeader(message.value());
          packets.addAndGet(header.count());
          lost.addAndGet(header.lossBefore().inRing());
        });
    JsonNode report = new ObjectMapper().readTree(folder.resolve("tap.json").toFile());
    report.get("rings").forEach(ring -> assertThat(ring.get("dropped").asLong()).isZero());
    assertThat(lost.get()).as("lost").isEqualTo(expectedLost);
    assertThat(packets.get() + lost.get())
        .as("%,d packets and %,d lost", packets.get(), lost.get())
        .isEqualTo(report.get("offered").asLong());
  }

  @Test
  void shouldRefuseALongerTimeoutThanTheBrokerAllows() {
    assertThatThrownBy(
            () -> JobEntry.run(new PlatformCommand(), arguments("--transaction-timeout", "2 h")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--transaction-timeout is 7,200,000 ms")
        .hasMessageContaining("transaction.max.timeout.ms allows 3,600,000 ms");
  }

  /** Before any job runs: there are no rings that it could read. */
  @Test
  void shouldAskTheBrokersAsThePropertiesSay() {
    assertThatThrownBy(
            () ->
                JobEntry.run(
                    new PlatformCommand(),
                    arguments("--kafka-property", "metric.reporters=no.such.Class")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--bootstrap-servers and the properties")
        .hasMessageContaining("no.such.Class");
  }

  private static String[] arguments(String... more) {
    List<String> arguments =
        List.of("--rings", "none", "--bounded", "--bootstrap-servers", broker.bootstrapServers());
    return Stream.concat(arguments.stream(), Arrays.stream(more)).toArray(String[]::new);
  }

  private ChildProcess startTap(Path rings) throws Exception {
    List<String> arguments =
        List.of(
            "synthetic",
            "--rate",
            "5000",
            "--rings",
            rings.toString(),
            "--ring-count",
            "" + RING_COUNT,
            "--ring-bytes",
            "256m",
            "--stop-on-stdin-end",
            "--wait-for-reader",
            "--report",
            folder.resolve("tap.json").toString());
    return ChildProcess.start(
        Programs.of(folder, "tap", "dev.flowstone.tap.command.TapCommand", arguments)
            .withJvmOptions("-Xmx256m", "-XX:+UseSerialGC"),
        ChildOutput.gatheredIn(folder));
  }

  private static PlatformOptions options(Path rings, String name) {
    PlatformOptions options = new PlatformOptions();
    options.rings.folders = List.of(rings);
    options.kafka.bootstrapServers = broker.bootstrapServers();
    options.topic = name;
    options.rings.readerName = name;
    options.kafka.transactionPrefix = name;
    options.kafka.transactionTimeout = LIMIT;
    return options;
  }

  /** A job that would be restarted for ever, were it allowed to. */
  private JobClient start(
      PlatformOptions options, Duration checkpointInterval, Optional<String> savepoint)
      throws Exception {
    return start(options, 1, checkpointInterval, savepoint);
  }

  private JobClient start(
      PlatformOptions options,
      int parallelism,
      Duration checkpointInterval,
      Optional<String> savepoint)
      throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, checkpointInterval);
    // Or there is one when the tasks run, whatever the interval.
    configuration.set(CheckpointingOptions.MIN_PAUSE_BETWEEN_CHECKPOINTS, checkpointInterval);
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY, folder.resolve("retained").toUri().toString());
    configuration.set(
        CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
        ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    configuration.set(
        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, Integer.MAX_VALUE);
    configuration.set(
        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(100));
    savepoint.ifPresent(path -> configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, path));
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(parallelism, configuration);
    environment.setMaxParallelism(128);
    PlatformJob.build(environment, options);
    return environment.executeAsync(options.topic);
  }

  private static void result(JobClient job) throws Exception {
    job.getJobExecutionResult().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  /** Flink commits nothing for a savepoint: its transaction waits for the checkpoint after it. */
  private String stopWithUncommittedSavepoint(PlatformOptions options, int parallelism)
      throws Exception {
    JobClient job = start(options, parallelism, NEVER, Optional.empty());
    await(
        listed ->
            listed.stream()
                    .filter(one -> one.transactionalId().startsWith(options.topic))
                    .filter(one -> one.state() == TransactionState.ONGOING)
                    .count()
                == parallelism);
    return stop(job);
  }

  /** Its transaction stays open: it waits for the job that resumes from the savepoint. */
  private String stop(JobClient job) throws Exception {
    String savepoint =
        job.triggerSavepoint(
                folder.resolve("savepoints").toUri().toString(), SavepointFormatType.CANONICAL)
            .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    job.cancel().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    return savepoint;
  }

  private static void awaitAbort(String topic) throws Exception {
    await(
        listed -> {
          List<TransactionState> states =
              listed.stream()
                  .filter(one -> one.transactionalId().startsWith(topic))
                  .map(TransactionListing::state)
                  .toList();
          return !states.contains(TransactionState.ONGOING)
              && states.contains(TransactionState.COMPLETE_ABORT);
        });
  }

  private static void await(Predicate<Collection<TransactionListing>> expected) throws Exception {
    new TransactionWatch(broker.bootstrapServers()).await(expected);
  }
}
