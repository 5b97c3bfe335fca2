// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.broker.process.SharedBroker;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.LoopbackPorts;
import dev.flowstone.processes.Signal;
import dev.flowstone.testbed.browser.Chromium;
import dev.flowstone.testbed.faults.KilledTaskManager;
import dev.flowstone.testbed.faults.SmallDisk;
import dev.flowstone.testbed.flink.ClusterStatus;
import dev.flowstone.testbed.flink.DeploymentCommands;
import dev.flowstone.testbed.flink.FlinkRest;
import dev.flowstone.testbed.programs.Programs;
import dev.flowstone.testbed.programs.SaidWords;
import dev.flowstone.testbed.rings.ReplayedTap;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs on a tap and a broker that are there already: in one process, and on a cluster. */
class DeploymentITCase {
  private static final int STOPPED_BY_CTRL_C = 130;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir private Path folder;
  private ScratchFolder rings;
  private DeploymentCommands commands;

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
    KafkaTopic topic = new KafkaTopic(SharedBroker.bootstrapServers(), "deployment-" + name);
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
                "--transaction-prefix",
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
    int metricsPort = LoopbackPorts.claimFree();
    String[] job =
        platform(
            topic,
            "--web-port",
            "0",
            "--metrics",
            "" + metricsPort,
            "--metrics-token-file",
            Files.writeString(folder.resolve("token"), "s3cret\n").toString());
    try (ReplayedTap tap = ReplayedTap.start(folder, rings.path())) {
      try (ChildProcess killed = commands.job(job)) {
        tap.awaitCheckpoint(killed);
        requireRefusal(commands.job(job), "another process runs this job now");
        requireRefusal(
            commands.job(platform(topic, "--checkpoints", folder.resolve("other").toString())),
            "which is at work on the same rings");
        requireToShowAndNoMore(killed);
        requireMetrics(metricsPort);
        tap.awaitCheckpoint(killed);
        killed.kill();
        assertThat(killed.output()).contains("platform starts from scratch: no checkpoint");
      }
      requireNoStepBack(job);
      try (ChildProcess stopped = commands.job(job)) {
        tap.awaitCheckpoint(stopped);
        stopped.send(Signal.INT);
        assertThat(Programs.awaitStatus(stopped, LIMIT))
            .as(Programs.said(stopped))
            .isEqualTo(STOPPED_BY_CTRL_C);
        assertThat(stopped.output())
            .containsPattern("platform resumes from .*/chk-")
            .containsPattern("has stopped, .* resumes from .*/savepoint-");
      }
      long offered = tap.end();
      try (ChildProcess last = commands.job(job)) {
        Programs.requireSuccess(last, LIMIT);
        assertThat(last.output())
            .containsPattern("platform resumes from .*/savepoint-")
            .contains("platform has ended");
      }
      ReplayedTap.requireBalance(topic, offered);
      assertThat(checkpoints())
          .as("nothing to resume from, also of what the killed one left")
          .isEmptyDirectory();
      assertThat(commands.state().resolve("jobs/platform/checkpoints.scratch"))
          .as("what the killed one left")
          .doesNotExist();
    }
  }

  private static void requireMetrics(int port) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"));
    try (HttpClient client = HttpClient.newHttpClient()) {
      assertThat(client.send(request.build(), BodyHandlers.ofString()).statusCode()).isEqualTo(401);
      request.header("Authorization", "Bearer s3cret");
      assertThat(client.send(request.build(), BodyHandlers.ofString()).body())
          .containsPattern(
              "flink_taskmanager_job_task_operator_taprings_ring_packetsConsumed\\{.*} [1-9]");
    }
    assertThatThrownBy(() -> new Socket("127.0.0.2", port).close())
        .isInstanceOf(ConnectException.class);
  }

  private Path checkpoints() {
    return commands.state().resolve("jobs/platform/checkpoints");
  }

  /** Takes the newest checkpoint away, and puts it back. */
  private void requireNoStepBack(String... job) throws Exception {
    String completed = Files.readString(checkpoints().resolve("newest-completed"));
    List<Path> newest = metadataFrom(Long.parseLong(completed));
    for (Path metadata : newest) {
      Files.move(metadata, metadata.resolveSibling("elsewhere"));
    }
    requireRefusal(commands.job(job), "checkpoint " + completed + " completed and is missing");
    for (Path metadata : newest) {
      Files.move(metadata.resolveSibling("elsewhere"), metadata);
    }
  }

  /** The process may have been killed before it recorded the last one that it completed. */
  private List<Path> metadataFrom(long number) throws IOException {
    try (Stream<Path> files = Files.walk(checkpoints())) {
      return files
          .filter(file -> file.endsWith("_metadata"))
          .filter(
              file ->
                  Long.parseLong(file.getParent().getFileName().toString().substring(4)) >= number)
          .toList();
    }
  }

  /** A producer would wait for it a minute at a time, and only its log would say for what. */
  @Test
  void shouldRefuseATopicThatIsNotThereAndSayHowToMakeIt() throws Exception {
    KafkaTopic nowhere = new KafkaTopic(SharedBroker.bootstrapServers(), "nowhere");
    requireRefusal(
        commands.job(platform(nowhere)),
        "there is no topic nowhere at "
            + nowhere.bootstrapServers()
            + ": ./flowstone broker topics create nowhere --bootstrap-servers "
            + nowhere.bootstrapServers()
            + " --partitions");
  }

  /** Checkpoints fail meanwhile, and so does the log. */
  @Test
  @Tag("slow")
  void shouldReportAFullDiskInAFewLinesAndGoOn() throws Exception {
    KafkaTopic topic = topic("full-disk");
    try (SmallDisk disk = SmallDisk.mount(commands.state(), "160m");
        ReplayedTap tap = ReplayedTap.start(folder, rings.path());
        ChildProcess job = commands.job(platform(topic, "--web-port", "0"))) {
      tap.awaitCheckpoint(job);
      disk.stayFullUntil(() -> job.output().contains("Flink has started it again"));
      disk.free();
      tap.awaitCheckpoint(job);
      long offered = tap.end();
      Programs.requireSuccess(job, LIMIT);
      ReplayedTap.requireBalance(topic, offered);
      assertThat(job.errors()).isEmpty();
      assertThat(job.output().lines().filter(line -> !line.startsWith("read ")))
          .hasSizeLessThan(15)
          .satisfiesOnlyOnce(line -> assertThat(line).contains("disk is full: "))
          .satisfiesOnlyOnce(line -> assertThat(line).contains("disk has space again: "));
    }
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
      // Where the broker answers late, the job reports that first.
      assertThat(refused.errors().lines().filter(line -> !line.startsWith("waiting for Kafka")))
          .singleElement()
          .asString()
          .startsWith("flowstone: ")
          .contains(why);
    }
  }

  /** Its TaskManager is killed. Then it is rescaled, as users rescale a job. */
  @Test
  void shouldLoseNothingOnAClusterThatIsKilledAndRescaled() throws Exception {
    KafkaTopic topic = topic("cluster");
    new KilledTaskManager(commands, folder, rings.path(), topic)
        .survive(
            web -> {
              String said = commands.submit(platform(topic));
              requireRefusal(
                  commands.startSubmit(platform(topic)),
                  "the cluster has a job \"platform\" already");
              return said;
            },
            (rest, tap, job) -> resumeWithFewerSubtasks(topic, rest, tap, job));
    Chromium.require();
  }

  private String resumeWithFewerSubtasks(
      KafkaTopic topic, FlinkRest rest, ReplayedTap tap, String job) throws Exception {
    String savepoint = SaidWords.savepoint(commands.flink("stop", job));
    String second = SaidWords.jobId(commands.submit(platform(topic, 1)));
    tap.awaitCheckpoint();
    String restored =
        rest.get("/jobs/" + second + "/checkpoints").at("/latest/restored/external_path").asText();
    assertThat(Path.of(URI.create(restored)))
        .isEqualTo(checkpoints().resolve(savepoint.substring(savepoint.lastIndexOf('/') + 1)));
    return second;
  }

  @Test
  @Tag("slow")
  void shouldResumeOnAClusterWhatRanInOneProcessAndBack() throws Exception {
    KafkaTopic topic = topic("moved");
    String[] inOneProcess = platform(topic, "--web-port", "0");
    commands.cluster("start", "--web-port", "0", "--slots", "2");
    try (ReplayedTap tap = ReplayedTap.start(folder, rings.path())) {
      try (ChildProcess killed = commands.job(inOneProcess)) {
        tap.awaitCheckpoint(killed);
        requireRefusal(commands.startSubmit(platform(topic)), "another process runs this job now");
        tap.awaitCheckpoint(killed);
        killed.kill();
      }
      String submitted = commands.submit(platform(topic));
      assertThat(submitted).containsPattern("platform resumes from .*/chk-");
      tap.awaitCheckpoint();
      requireRefusal(commands.job(inOneProcess), "the cluster has a job \"platform\" already");
      commands.flink("stop", SaidWords.jobId(submitted));
      long offered;
      try (ChildProcess last = commands.job(inOneProcess)) {
        tap.awaitCheckpoint(last);
        offered = tap.end();
        Programs.requireSuccess(last, LIMIT);
        assertThat(last.output()).containsPattern("platform resumes from .*/savepoint-");
      }
      ReplayedTap.requireBalance(topic, offered);
      assertThat(checkpoints()).isEmptyDirectory();
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
