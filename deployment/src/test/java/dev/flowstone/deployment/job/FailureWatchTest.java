// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchException;

import com.sun.net.httpserver.HttpServer;
import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.LocalJob;
import dev.flowstone.monitoring.ClusterView;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FailureWatchTest {
  private static final long POLL_INTERVAL_MS = 20;

  private static CountDownLatch allRun;
  private static CountDownLatch released;

  /** One subtask fails; the other one does not listen when it is taken down because of that. */
  private static final class Stubborn extends RichMapFunction<Long, Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public void open(OpenContext context) {
      allRun.countDown();
    }

    @Override
    public Long map(Long value) throws Exception {
      if (getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0) {
        allRun.await();
        throw new IllegalStateException("broken by intent");
      }
      while (released.getCount() > 0) {
        try {
          released.await();
        } catch (InterruptedException unheard) {
          // That is the point.
        }
      }
      return value;
    }
  }

  private static void build(StreamExecutionEnvironment environment) {
    environment
        .fromSequence(1, Long.MAX_VALUE)
        .rebalance()
        .map(new Stubborn())
        .sinkTo(new DiscardingSink<>());
  }

  private static Configuration configuration() {
    Configuration configuration = new Configuration();
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 100);
    configuration.set(
        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(50));
    configuration.set(TaskManagerOptions.TASK_CANCELLATION_TIMEOUT, Duration.ofMillis(500));
    configuration.setString("metrics.reporters", "progress");
    configuration.setString(
        "metrics.reporter.progress.factory.class", JobMetrics.Factory.class.getName());
    return configuration;
  }

  @Test
  void shouldSayWhyTheJobStartsAgainAndThatItsTaskManagerHasEnded() throws Exception {
    allRun = new CountDownLatch(2);
    released = new CountDownLatch(1);
    try (LocalCluster cluster = LocalCluster.start(new ClusterSize(2, 8, 1), configuration())) {
      LocalJob job = cluster.submit(2, FailureWatchTest::build);
      FailureWatch watch = new FailureWatch(job, ClusterView.ofWeb(cluster.webUrl()));
      assertThatCode(watch::requireTaskManager).doesNotThrowAnyException();
      assertThat(awaitNews(watch))
          .matches("Flink has started it again \\(restart \\d+\\), because: .*broken by intent.*");
      requireOneMissedAnswerIsForgiven(job);
      assertThat(awaitTrouble(watch))
          .hasMessageContaining("TaskManager in this process has ended, because: ")
          .hasMessageContaining("start the job again");
      released.countDown();
    }
  }

  private static String awaitNews(FailureWatch watch) throws Exception {
    Optional<String> news = watch.news();
    while (news.isEmpty()) {
      Thread.sleep(POLL_INTERVAL_MS);
      news = watch.news();
    }
    return news.get();
  }

  private static Exception awaitTrouble(FailureWatch watch) throws Exception {
    Exception trouble = null;
    while (trouble == null) {
      Thread.sleep(POLL_INTERVAL_MS);
      trouble = catchException(watch::requireTaskManager);
    }
    return trouble;
  }

  /** What Flink answers in the moment between two heartbeats cannot be had at will. */
  private static void requireOneMissedAnswerIsForgiven(LocalJob job) throws Exception {
    int[] slots = {0, 1, 0, 0};
    int[] asked = {0};
    HttpServer flink =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    flink.createContext(
        "/overview",
        question -> {
          byte[] answer = "{\"slots-total\": %d}".formatted(slots[asked[0]++]).getBytes(UTF_8);
          question.sendResponseHeaders(200, answer.length);
          question.getResponseBody().write(answer);
          question.close();
        });
    flink.start();
    try {
      ClusterView view = ClusterView.at("localhost:" + flink.getAddress().getPort());
      FailureWatch watch = new FailureWatch(job, view);
      watch.requireTaskManager();
      awaitNews(watch);
      watch.requireTaskManager();
      watch.requireTaskManager();
      watch.requireTaskManager();
      assertThatThrownBy(watch::requireTaskManager).hasMessageContaining("has ended");
    } finally {
      flink.stop(0);
    }
    FailureWatch alone = new FailureWatch(job, ClusterView.at("localhost:1"));
    awaitNews(alone);
    alone.requireTaskManager();
    alone.requireTaskManager();
  }
}
