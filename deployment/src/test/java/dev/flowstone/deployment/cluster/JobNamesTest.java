// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.flowstone.monitoring.ClusterView;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JobNamesTest {
  private HttpServer flink;
  private ClusterView cluster;

  @BeforeEach
  void start() throws IOException {
    flink = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    flink.start();
    cluster = ClusterView.at("localhost:" + flink.getAddress().getPort());
  }

  @AfterEach
  void stop() {
    flink.stop(0);
  }

  private void runs(String name, String state) {
    byte[] answer =
        "{\"jobs\":[{\"jid\":\"0d10\",\"name\":\"%s\",\"state\":\"%s\",\"start-time\":1}]}"
            .formatted(name, state)
            .getBytes(UTF_8);
    flink.createContext(
        "/jobs/overview",
        exchange -> {
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
  }

  private void requireFree() throws IOException, InterruptedException {
    JobNames.requireFree("platform", cluster, id -> "stop " + id);
  }

  @Test
  void rejectsTheNameOfAJobThatRunsAndNamesTheCommandThatStopsIt() {
    runs("platform", "RESTARTING");
    assertThatThrownBy(this::requireFree)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("a job \"platform\" already (0d10, RESTARTING)")
        .hasMessageEndingWith("stop 0d10");
  }

  @Test
  void acceptsTheNameOfAJobThatHasEnded() {
    runs("platform", "FINISHED");
    assertThatNoException().isThrownBy(this::requireFree);
  }

  @Test
  void acceptsANameBesideOtherJobs() {
    runs("sampling", "RUNNING");
    assertThatNoException().isThrownBy(this::requireFree);
  }

  @Test
  void rejectsEveryNameWhileTheJobsAreUnknown() {
    assertThatThrownBy(this::requireFree)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(cluster.address());
  }
}
