// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.LocalJob;
import dev.flowstone.harness.failure.FailureInjection;
import dev.flowstone.harness.failure.FailureInjection.Place;
import dev.flowstone.processes.LoopbackPorts;
import dev.flowstone.questdb.process.QuestDbProcess;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A job whose results go to a real QuestDB, and what may happen to both. */
@Timeout(240)
class QuestDbSinksITCase {
  private static final String KIND = "counted";
  private static final long COUNT = 8_000;
  private static final long KILLED_AT = COUNT / 4;

  private static final int PARALLELISM = 2;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private static final AtomicLong SEEN = new AtomicLong();

  /** After each result, when some are there. */
  private static final AtomicLong PAUSE_MS = new AtomicLong();

  @TempDir private static Path checkpoints;
  private static LocalCluster cluster;

  @TempDir Path folder;
  private FailureInjection failures;

  @BeforeAll
  static void startCluster() throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(200));
    configuration.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.toUri().toString());
    FailureInjection.allowRestarts(configuration, Duration.ofMillis(100));
    cluster = LocalCluster.start(new ClusterSize(PARALLELISM, 16, 16), configuration);
  }

  @AfterAll
  static void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @BeforeEach
  void begin() {
    PAUSE_MS.set(1);
    SEEN.set(0);
    failures = new FailureInjection();
  }

  @AfterEach
  void end() {
    failures.close();
  }

  @Test
  void shouldLeaveOneRowOfEachResultWhateverFails() throws Exception {
    PAUSE_MS.set(20); // so that it fails before its end, on a busy machine as well
    QuestDbProcess questDb =
        QuestDbProcess.start(folder.resolve("questdb"), QuestDbProcess.ANY_PORT);
    try {
      URI address = questDb.address();
      LocalJob job = cluster.submit(PARALLELISM, environment -> build(environment, address));
      awaitSeen(KILLED_AT);
      questDb.kill();
      // Now only the state of the job has the results.
      failures.failOnce(Place.PROCESSING);
      assertThat(SEEN).hasValueLessThan(COUNT);
      PAUSE_MS.set(0);
      awaitSeen(COUNT);
      assertThat(job.isRunning()).isTrue();
      questDb = QuestDbProcess.start(folder.resolve("questdb"), address.getPort());

      assertThat(job.awaitEnd(LIMIT)).isTrue();
      assertThat(job.latestFailure().orElseThrow()).hasStackTraceContaining("injected failure 1");
      assertThat(Rows.read(address, KIND, COUNT)).isEqualTo(Rows.expected(KIND, COUNT));
    } finally {
      questDb.close();
    }
  }

  @Test
  void shouldRunOnUntilTheStoreComes() throws Exception {
    int port = LoopbackPorts.claimFree();
    URI address = URI.create("http://" + LoopbackPorts.HOST + ":" + port);
    LocalJob job = cluster.submit(PARALLELISM, environment -> build(environment, address));
    awaitSeen(COUNT);
    assertThat(job.isRunning()).isTrue();
    try (QuestDbProcess questDb = QuestDbProcess.start(folder.resolve("questdb"), port)) {
      assertThat(job.awaitEnd(LIMIT)).isTrue();
      assertThat(job.latestFailure()).isEmpty();
      assertThat(Rows.read(questDb.address(), KIND, COUNT)).isEqualTo(Rows.expected(KIND, COUNT));
      try (QuestDb client = new QuestDb(questDb.address(), "")) {
        assertThat(client.ask("SELECT DISTINCT job FROM " + KIND)).containsExactly("test");
      }
    }
  }

  @Test
  void shouldHaveSentEverythingWhenItIsStopped() throws Exception {
    PAUSE_MS.set(20); // so that it is stopped before its end, on a busy machine as well
    try (QuestDbProcess questDb =
        QuestDbProcess.start(folder.resolve("questdb"), QuestDbProcess.ANY_PORT)) {
      LocalJob job =
          cluster.submit(PARALLELISM, environment -> build(environment, questDb.address()));
      awaitSeen(KILLED_AT);
      job.stop(folder.resolve("savepoints"));
      assertThat(SEEN).hasValueLessThan(COUNT);
      assertThat(Rows.read(questDb.address(), KIND, SEEN.get()))
          .hasSize((int) SEEN.get())
          .isSubsetOf(Rows.expected(KIND, COUNT));
    }
  }

  private void build(StreamExecutionEnvironment environment, URI questDb) {
    QuestDbOptions options = new QuestDbOptions();
    options.address = questDb;
    QuestDbSinks.sendResults(
        failures.in(
            environment
                .fromSequence(0, COUNT - 1)
                .map(QuestDbSinksITCase::count)
                .returns(Counted.class)),
        options,
        "test",
        "results");
  }

  private static Counted count(long number) throws InterruptedException {
    Thread.sleep(SEEN.get() < KILLED_AT ? 1 : PAUSE_MS.get());
    SEEN.incrementAndGet();
    return new Counted(KIND, number);
  }

  private static void awaitSeen(long count) throws InterruptedException {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    while (SEEN.get() < count) {
      assertThat(System.nanoTime() - deadlineNs).as("no more is seen").isNegative();
      Thread.sleep(20);
    }
  }
}
