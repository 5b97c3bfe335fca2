// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.testbed.browser.Chromium;
import dev.flowstone.testbed.browser.ToldByPage;
import dev.flowstone.testbed.faults.MortalTap;
import dev.flowstone.testbed.flink.ClusterStatus;
import dev.flowstone.testbed.flink.DeploymentCommands;
import dev.flowstone.testbed.flink.FlinkRest;
import dev.flowstone.testbed.kafka.BatchLedger;
import dev.flowstone.testbed.kafka.CommittedPositions;
import dev.flowstone.testbed.programs.Programs;
import dev.flowstone.testbed.programs.SaidWords;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A TaskManager of {@code ./flowstone cluster} dies by SIGKILL under a steady stream of packets:
 * how soon those that come after its death are committed, that none is missing, and what the
 * commands tell of it.
 */
@Tag("undisturbed")
@Tag("slow")
class ClusterRecoveryITCase {
  private static final Duration PROMISE = Duration.ofSeconds(30);
  private static final int PACKETS_PER_SECOND = 50_000;
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Pattern READER =
      Pattern.compile("^  lane \\d+  platform of .* pid (\\d+), alive ");

  @TempDir private Path folder;
  private DeploymentCommands commands;

  @Test
  @Timeout(300)
  void shouldGoOnWithinHalfAMinuteWhereTheOnlyTaskManagerDied() throws Exception {
    killOne(1, 2);
    Chromium.require();
  }

  @Test
  @Timeout(300)
  void shouldGoOnWithinHalfAMinuteWhereOneOfTwoTaskManagersDied() throws Exception {
    killOne(2, 1);
    Chromium.require();
  }

  private void killOne(int taskManagers, int slots) throws Exception {
    commands = new DeploymentCommands(folder);
    try (ScratchFolder rings = ScratchFolder.inMemory("recovery");
        BrokerProcess broker = BrokerProcess.start(BrokerOptions.in(folder.resolve("kafka")));
        MortalTap tap =
            new MortalTap(folder, rings.path(), MortalTap.synthetic(PACKETS_PER_SECOND, "128m"))) {
      KafkaTopic topic = new KafkaTopic(broker.bootstrapServers(), "recovery");
      topic.create(MortalTap.RING_COUNT);
      String started =
          commands.cluster(
              "start",
              "--web-port",
              "0",
              "--task-managers",
              "" + taskManagers,
              "--slots",
              "" + slots);
      try {
        tap.start();
        survive(tap, topic, SaidWords.web(started), taskManagers);
      } finally {
        commands.cluster("stop");
      }
    }
  }

  private void survive(MortalTap tap, KafkaTopic topic, String web, int taskManagers)
      throws Exception {
    commands.submit(
        "platform",
        "--rings",
        tap.rings().toString(),
        "--bootstrap-servers",
        topic.bootstrapServers(),
        "--topic",
        topic.name(),
        "--parallelism",
        "" + MortalTap.RING_COUNT,
        "--bounded");
    try (CommittedPositions committed = new CommittedPositions(topic)) {
      committed.await(positions(tap), LIMIT);
      surviveDeath(tap, committed, web, taskManagers);
    }
    requireToTell(tap, web, taskManagers);
    tap.end();
    requireNothingLost(tap, topic, web);
  }

  private void surviveDeath(
      MortalTap tap, CommittedPositions committed, String web, int taskManagers) throws Exception {
    try (ToldByPage page = new ToldByPage(web, tap.rings())) {
      // It knows who is gone only if it knew who was there, and asks nothing meanwhile.
      page.awaitStages(taskManagers);
      long deathMs = System.currentTimeMillis();
      ClusterStatus.of(commands).kill("taskmanager-1");
      long deathNs = System.nanoTime();
      committed.await(positions(tap), PROMISE);
      System.out.printf(
          "ClusterRecoveryITCase: TaskManagers: %d, one killed at %,d packets/s: what came after"
              + " its death was committed after %.1f s%n",
          taskManagers, PACKETS_PER_SECOND, (System.nanoTime() - deathNs) / 1e9);
      page.awaitRestart(deathMs);
    }
  }

  /** How far the ring of each stream has been written. */
  private static Map<Long, Long> positions(MortalTap tap) {
    Map<Long, Long> positions = new HashMap<>();
    for (Path file : new RingDirectory(tap.rings()).ringFiles()) {
      try (RingFile ring = RingFile.open(file)) {
        positions.put(ring.identity().stream(), ring.position());
      }
    }
    return positions;
  }

  private void requireToTell(MortalTap tap, String web, int taskManagers) throws Exception {
    ClusterStatus status = ClusterStatus.of(commands);
    assertThat(status.said())
        .contains("TaskManagers: " + taskManagers + "  slots free: 0 of 2")
        .containsPattern("taskmanager-1 pid \\d+ since \\S+Z, restarts: 1")
        .containsPattern("\\S+Z the taskmanager-1 ended with SIGKILL \\(")
        .containsPattern("RUNNING +platform")
        .containsPattern("restarts: \\d+, runs again since \\S+Z from checkpoint \\d+")
        .containsPattern("\\S+Z failed: .*(taskmanager-1|TaskManager|TaskExecutor)");
    assertThat(said("dev.flowstone.monitoring.stats.FlinkStatsCommand", "--flink", web))
        .contains(
            "every packet accounted for",
            "Flink started this job again; the counters are those since then")
        .containsPattern("restarts: \\d+, runs again since \\S+Z from checkpoint \\d+")
        .containsPattern("\\S+Z failed: .*(taskmanager-1|TaskManager|TaskExecutor)");
    requireLivingReaders(
        said("dev.flowstone.tap.command.StatsCommand", tap.rings().toString()),
        status.pids("taskmanager-"));
  }

  /** One of each ring, in a process that runs: the killed one does not. */
  private static void requireLivingReaders(String stats, List<Long> taskManagers) {
    assertThat(stats.lines().filter(line -> line.contains(" lane ")))
        .hasSize(MortalTap.RING_COUNT)
        .allSatisfy(
            lane -> {
              Matcher reader = READER.matcher(lane);
              assertThat(reader.find()).as(lane).isTrue();
              assertThat(Long.valueOf(reader.group(1))).isIn(taskManagers);
            });
  }

  private String said(String program, String... arguments) throws Exception {
    try (ChildProcess stats = Programs.run(folder, program, arguments)) {
      Programs.requireSuccess(stats, LIMIT);
      return stats.output();
    }
  }

  private void requireNothingLost(MortalTap tap, KafkaTopic topic, String web) throws Exception {
    try (FlinkRest rest = new FlinkRest(web)) {
      rest.awaitFinished(rest.onlyJob());
    }
    assertThat(tap.dropped()).as("dropped by rings with room").isZero();
    BatchLedger ledger = new BatchLedger();
    CommittedMessages.readAll(topic, LIMIT, ledger::book);
    assertThat(ledger.faults()).isEmpty();
    assertThat(ledger.lost()).isZero();
    long offered = tap.offered().values().stream().mapToLong(Long::longValue).sum();
    assertThat(ledger.packets()).as("read back of %,d offered", offered).isEqualTo(offered);
  }
}
