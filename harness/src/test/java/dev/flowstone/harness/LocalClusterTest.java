// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.runtime.client.JobExecutionException;
import org.apache.flink.runtime.highavailability.nonha.embedded.EmbeddedLeaderService;
import org.apache.flink.runtime.rpc.RpcSystem;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.config.Property;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LocalClusterTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private static final int TOLD_KEY_GROUPS = 64;

  private static LocalCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Configuration special = new Configuration();
    special.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    special.set(PipelineOptions.MAX_PARALLELISM, TOLD_KEY_GROUPS);
    cluster = LocalCluster.start(new ClusterSize(1, 8, 1), special);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static void build(
      StreamExecutionEnvironment environment, long last, MapFunction<Long, Long> map) {
    environment.fromSequence(1, last).map(map).returns(Types.LONG).sinkTo(new DiscardingSink<>());
  }

  @Test
  void shouldRunAJobToItsEnd() throws Exception {
    LocalJob job = cluster.submit(1, environment -> build(environment, 10, value -> value));
    assertThat(job.awaitEnd(LIMIT)).isTrue();
    assertThat(job.isRunning()).isFalse();
  }

  @Test
  void shouldHaveAsManyKeyGroupsAsItIsTold() throws Exception {
    AtomicInteger keyGroups = new AtomicInteger();
    LocalJob job =
        cluster.submit(
            1,
            environment -> {
              keyGroups.set(environment.getMaxParallelism());
              build(environment, 1, value -> value);
            });
    assertThat(job.awaitEnd(LIMIT)).isTrue();
    assertThat(keyGroups).hasValue(TOLD_KEY_GROUPS);
  }

  @Test
  void shouldThrowWhatAJobFailedWith() throws Exception {
    LocalJob job =
        cluster.submit(
            1,
            environment ->
                build(
                    environment,
                    10,
                    value -> {
                      throw new IllegalStateException("broken by intent");
                    }));
    assertThatThrownBy(() -> job.awaitEnd(LIMIT))
        .isInstanceOf(JobExecutionException.class)
        .hasRootCauseMessage("broken by intent");
  }

  @Test
  void shouldCancelAJobWithoutEnd() throws Exception {
    LocalJob job =
        cluster.submit(1, environment -> build(environment, Long.MAX_VALUE, value -> value));
    assertThat(job.awaitEnd(Duration.ofMillis(100))).isFalse();
    job.cancel();
    assertThat(job.isRunning()).isFalse();
  }

  @Test
  void shouldListenOnLocalhostAlone() throws Exception {
    assertThat(cluster.webUrl()).matches("http://localhost:[0-9]+");
  }

  /** One that is closed while it still makes them waits for itself for ever. */
  @Test
  void shouldHaveItsLeadersWhenItHasStarted() throws Exception {
    Deque<String> confirmed = new ConcurrentLinkedDeque<>();
    LoggerContext context = LoggerContext.getContext(false);
    Appender appender = new Confirmations(confirmed);
    appender.start();
    LoggerConfig log = new LoggerConfig(EmbeddedLeaderService.class.getName(), Level.INFO, false);
    log.addAppender(appender, Level.INFO, null);
    context.getConfiguration().addLogger(log.getName(), log);
    context.updateLoggers();
    LocalCluster other = LocalCluster.start(new ClusterSize(1, 8, 1), new Configuration());
    List<String> atItsStart = List.copyOf(confirmed);
    context.getConfiguration().removeLogger(log.getName());
    context.updateLoggers();
    assertThat(atItsStart)
        .anyMatch(leader -> leader.contains("dispatcher"))
        .anyMatch(leader -> leader.contains("resourcemanager"));
    assertThat(other.close(Duration.ofNanos(1))).as("bounded").isFalse();
    assertThat(other.close(LIMIT)).isTrue();
    assertThat(other.isAlive(LIMIT)).isFalse();
  }

  @Test
  void shouldLeaveWhatItSharesToTheNextOne() throws Exception {
    Configuration special = new Configuration();
    try (ScratchFolder folder = ScratchFolder.onDisk("test")) {
      special.set(CoreOptions.TMP_DIRS, folder.path().toString());
      try (RpcSystem rpc = RpcSystem.load(special)) {
        for (int i = 0; i < 2; i++) {
          try (LocalCluster sharing = LocalCluster.start(new ClusterSize(1, 8, 1), special, rpc)) {
            LocalJob job = sharing.submit(1, environment -> build(environment, 10, value -> value));
            assertThat(job.awaitEnd(LIMIT)).isTrue();
          }
        }
      }
    }
  }

  private static final class Confirmations extends AbstractAppender {
    private final Deque<String> confirmed;

    Confirmations(Deque<String> confirmed) {
      super("confirmations", null, null, true, Property.EMPTY_ARRAY);
      this.confirmed = confirmed;
    }

    @Override
    public void append(LogEvent event) {
      String message = event.getMessage().getFormattedMessage();
      if (message.startsWith("Received confirmation of leadership")) {
        confirmed.add(message);
      }
    }
  }

  @Test
  void shouldBeAliveWhileItRuns() throws Exception {
    assertThat(cluster.isAlive(LIMIT)).isTrue();
  }
}
