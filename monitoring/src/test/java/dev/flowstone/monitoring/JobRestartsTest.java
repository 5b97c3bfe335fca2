// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On answers as Flink 2.3 gives them. */
class JobRestartsTest {
  private static final String ID = "0d107e97fa29e3e47d89c51785da7772";
  private static final String VERTEX = "/jobs/" + ID + "/vertices/cbc357ccb763df2852fee8c4fc7d55f2";

  private static final String METRIC = "/jobs/" + ID + "/metrics?get=numRestarts";

  private HttpServer server;
  private int metricRequests;
  private int requests;

  @BeforeEach
  void serve() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
    server.start();
  }

  @AfterEach
  void end() {
    server.stop(0);
  }

  private JobRestarts ask(Map<String, String> answers) throws Exception {
    return JobRestarts.of(serving(answers), ID);
  }

  private ClusterView serving(Map<String, String> answers) {
    server.createContext(
        "/",
        exchange -> {
          String asked = exchange.getRequestURI().toString();
          requests++;
          // Flink answers what it knew before.
          boolean knows = !asked.equals(METRIC) || metricRequests++ > 0;
          String answer = knows ? answers.get(asked) : "[]";
          byte[] body = (answer == null ? "{}" : answer).getBytes(UTF_8);
          exchange.sendResponseHeaders(answer == null ? 404 : 200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    return ClusterView.at("127.0.0.1:" + server.getAddress().getPort());
  }

  private static Map<String, String> restarted(String secondSubtask) {
    return Map.of(
        "/jobs/" + ID,
        "{\"vertices\":[{\"id\":\"cbc357ccb763df2852fee8c4fc7d55f2\"}]}",
        VERTEX + "/subtasktimes",
        """
        {"subtasks":[{"timestamps":{"RUNNING":1763798360123}},{"timestamps":{"RUNNING":%s}}]}
        """
            .formatted(secondSubtask),
        METRIC,
        "[{\"id\":\"numRestarts\",\"value\":\"2\"}]",
        "/jobs/" + ID + "/checkpoints",
        "{\"latest\":{\"restored\":{\"id\":17}}}",
        "/jobs/" + ID + "/exceptions?maxExceptions=1",
        """
        {"exceptionHistory":{"entries":[{"timestamp":1763798348999,"stacktrace":
        "org.apache.flink.util.FlinkException: outer\\n\\tat a.B.c(B.java:1)\\nCaused by: java.io.IOException: no room: \\u001b[31mred\\n\\t... 7 more\\n"}]}}
        """);
  }

  @Test
  void shouldTellHowOftenWhenAndWhy() throws Exception {
    assertThat(ask(restarted("1763798361456")).lines())
        .containsExactly(
            "restarts: 2, runs again since 2025-11-22T07:59:21Z from checkpoint 17",
            "2025-11-22T07:59:08Z failed: FlinkException: outer; because: IOException: no room:"
                + " \\u001b[31mred");
  }

  @Test
  void shouldNotSayThatItRunsBeforeAllOfItDoes() throws Exception {
    assertThat(ask(restarted("0")).lines().getFirst())
        .isEqualTo("restarts: 2, runs again as soon as it can");
  }

  /** A cluster remembers many, and each answer takes its time. */
  @Test
  void shouldAskOnceHowAJobEnded() throws Exception {
    ClusterView cluster = serving(restarted("1763798361456"));
    assertThat(JobRestarts.failureOf(cluster, ID))
        .hasValue(
            "2025-11-22T07:59:08Z failed: FlinkException: outer; because: IOException: no room:"
                + " \\u001b[31mred");
    assertThat(requests).isEqualTo(1);
  }

  @Test
  void shouldTellNoFailureOfAJobThatHadNone() throws Exception {
    assertThat(JobRestarts.failureOf(serving(Map.of()), ID)).isEmpty();
  }

  @Test
  void shouldTellNothingOfAJobThatRunsAsItWasStarted() throws Exception {
    assertThat(ask(Map.of()).lines()).isEmpty();
  }
}
