// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.Signal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs on a tap and a broker that are there already: in one process, and on a cluster. */
class DeploymentITCase {
  private static final int STOPPED_BY_CTRL_C = 130;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir private static Path brokerFolder;
  private static BrokerProcess broker;

  @TempDir private Path folder;
  private ScratchFolder rings;
  private DeploymentCommands commands;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = BrokerProcess.start(BrokerOptions.in(brokerFolder));
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @BeforeEach
  void begin() throws Exception {
    rings = ScratchFolder.inMemory("deployment");
    commands = new DeploymentCommands(folder);
  }

  @AfterEach
  void end() {
    rings.close();
  }

  private static KafkaTopic topic(String name) throws Exception {
    KafkaTopic topic = new KafkaTopic(broker.bootstrapServers(), name);
    topic.create(ReplayedTap.RING_COUNT);
    return topic;
  }

  private String[] platform(KafkaTopic topic, String... more) {
    return platform(topic, 2, more);
  }

  private String[] platform(KafkaTopic topic, int parallelism, String... more) {
    return Stream.concat(
            Stream.of(
                "platform",
                "--rings",
                rings.path().toString(),
                "--bootstrap-servers",
                topic.bootstrapServers(),
                "--topic",
                topic.name(),
                "--checkpoint-interval",
                "500 ms",
                "--parallelism",
                "" + parallelism,
                "--bounded"),
            Stream.of(more))
        .toArray(String[]::new);
  }

  @Test
  void shouldGoOnInOneProcessAfterItWasKilledAndAfterItWasStopped() throws Exception {
    KafkaTopic topic = topic("embedded");
    String[] job = platform(topic, "--web-port", "0");
    try (ReplayedTap tap = ReplayedTap.start(folder, rings.path())) {
      try (ChildProcess killed = commands.job(job)) {
        tap.awaitCheckpoint(killed);
        requireRefusal(commands.job(job), "another process runs this job now");
        requireRefusal(
            commands.job(platform(topic, "--checkpoints", folder.resolve("other").toString())),
            "which is at work on the same rings");
        requireToShowAndNoMore(killed);
        tap.awaitCheckpoint(killed);
        killed.kill();
        assertThat(killed.output()).contains("platform begins anew: no checkpoint");
      }
      try (ChildProcess stopped = commands.job(job)) {
        tap.awaitCheckpoint(stopped);
        stopped.send(Signal.INT);
        assertThat(Programs.awaitStatus(stopped, LIMIT))
            .as(Programs.said(stopped))
            .isEqualTo(STOPPED_BY_CTRL_C);
        assertThat(stopped.output())
            .containsPattern("platform goes on from .*/chk-")
            .containsPattern("has stopped, .* goes on from .*/savepoint-");
      }
      long offered = tap.end();
      try (ChildProcess last = commands.job(job)) {
        Programs.requireSuccess(last, LIMIT);
        assertThat(last.output())
            .containsPattern("platform goes on from .*/savepoint-")
            .contains("platform has ended");
      }
      ReplayedTap.requireBalance(topic, offered);
      assertThat(commands.state().resolve("jobs/platform/checkpoints"))
          .as("nothing to go on from, also of what the killed one left")
          .isEmptyDirectory();
      assertThat(commands.state().resolve("jobs/platform/checkpoints.scratch"))
          .as("what the killed one left")
          .doesNotExist();
    }
  }

  /** A producer would wait for it a minute at a time, and only its log would say for what. */
  @Test
  void shouldRefuseATopicThatIsNotThereAndSayHowToMakeIt() throws Exception {
    KafkaTopic nowhere = new KafkaTopic(broker.bootstrapServers(), "nowhere");
    requireRefusal(
        commands.job(platform(nowhere)),
        "there is no topic nowhere at "
            + broker.bootstrapServers()
            + ": kafka-topics.sh --bootstrap-server "
            + broker.bootstrapServers()
            + " --create --topic nowhere --partitions");
    requireRefusal(
        commands.job(platform(nowhere, "--delivery", "at-least-once")),
        "there is no topic nowhere");
  }

  private static void requireToShowAndNoMore(ChildProcess job) throws Exception {
    try (FlinkRest rest = new FlinkRest(SaidWords.web(job.output()))) {
      assertThat(rest.features().findValuesAsText("web-submit")).containsExactly("false");
      assertThat(rest.features().findValuesAsText("web-cancel")).containsExactly("false");
    }
  }

  private static void requireRefusal(ChildProcess refused, String why) throws Exception {
    try (refused) {
      assertThat(Programs.awaitStatus(refused, LIMIT)).as(Programs.said(refused)).isEqualTo(1);
      assertThat(refused.errors()).contains(why).startsWith("flowstone: ").hasLineCount(1);
    }
  }

  @Test
  void shouldLoseNothingOnAClusterWhoseTaskManagerIsKilled() throws Exception {
    KafkaTopic topic = topic("cluster");
    new KilledTaskManager(commands, folder, rings.path(), topic)
        .survive(
            web -> {
              String said = commands.submit(platform(topic));
              requireRefusal(
                  commands.startSubmit(platform(topic)),
                  "the cluster has a job \"platform\" already");
              return said;
            });
    Chromium.require();
  }

  /** As whoever rescales a job does it. */
  @Test
  void shouldGoOnOnAClusterFromASavepointWithFewerSubtasks() throws Exception {
    KafkaTopic topic = topic("rescaled");
    String web = SaidWords.web(commands.cluster("start", "--web-port", "0", "--slots", "2"));
    try (ReplayedTap tap = ReplayedTap.start(folder, rings.path());
        FlinkRest rest = new FlinkRest(web)) {
      String first = SaidWords.jobId(commands.submit(platform(topic)));
      tap.awaitCheckpoint();
      String savepoint = SaidWords.savepoint(commands.flink("stop", first));
      String second = SaidWords.jobId(commands.submit(platform(topic, 1, "--from", savepoint)));
      tap.awaitCheckpoint();
      assertThat(rest.get("/jobs/" + second + "/checkpoints").at("/latest/restored/external_path"))
          .hasToString('"' + savepoint + '"');
      long offered = tap.end();
      rest.awaitFinished(second);
      ReplayedTap.requireBalance(topic, offered);
    } finally {
      commands.cluster("stop");
    }
  }

  @Test
  @Tag("slow")
  void shouldStartADeadJobManagerAgainAndLeaveNothingOfAKilledSupervisor() throws Exception {
    String[] start = {"start", "--web-port", "0", "--slots", "1"};
    commands.cluster(start);
    try {
      ClusterStatus.of(commands).kill("jobmanager");
      ClusterStatus again = ClusterStatus.await(commands, LIMIT, ", restarts: 1", "free: 1 of 1");
      again.supervisor().destroyForcibly();
      for (ProcessHandle process : again.processes()) {
        process.onExit().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
      }
      ClusterStatus.await(commands, LIMIT, "no cluster runs here");
      commands.cluster(start);
      ClusterStatus.await(commands, LIMIT, "free: 1 of 1");
    } finally {
      commands.cluster("stop");
    }
  }
}
