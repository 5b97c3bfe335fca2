// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.runtime.client.JobExecutionException;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LocalClusterTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static LocalCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Configuration special = new Configuration();
    special.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
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
}
