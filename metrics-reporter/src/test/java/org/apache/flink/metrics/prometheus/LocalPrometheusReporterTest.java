// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.metrics.prometheus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceLoader;
import org.apache.flink.metrics.CharacterFilter;
import org.apache.flink.metrics.LogicalScopeProvider;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.metrics.reporter.MetricReporterFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
class LocalPrometheusReporterTest {
  private static final String ANY_PORT = "0";

  private static LocalPrometheusReporter reporter(Properties properties) {
    properties.setProperty("port", ANY_PORT);
    return new LocalPrometheusReporterFactory().createMetricReporter(properties);
  }

  private static HttpResponse<String> ask(LocalPrometheusReporter reporter, String... headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
            URI.create("http://localhost:" + reporter.address().getPort() + "/metrics"));
    if (headers.length > 0) {
      request.headers(headers);
    }
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
  }

  @Test
  void shouldServeWhatFlinkReportsOnLocalhost() throws Exception {
    LocalPrometheusReporter reporter = reporter(new Properties());
    try {
      reporter.open(new MetricConfig());
      SimpleCounter packets = new SimpleCounter();
      packets.inc(7);
      reporter.notifyOfAddedMetric(packets, "packets", new ScopedGroup());

      HttpResponse<String> answer = ask(reporter);

      assertThat(reporter.address().getAddress().isLoopbackAddress()).isTrue();
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).contains("flink_job_packets{stage=\"rules\",} 7.0");
      assertThat(answer.headers().firstValue("Content-Type"))
          .contains("text/plain; version=0.0.4; charset=utf-8");
    } finally {
      reporter.close();
    }
  }

  @Test
  void shouldServeNobodyWithoutTheToken(@TempDir Path folder) throws Exception {
    Properties properties = new Properties();
    properties.setProperty(
        "token-file", Files.writeString(folder.resolve("token"), "s3cret\n").toString());
    LocalPrometheusReporter reporter = reporter(properties);
    try {
      assertThat(ask(reporter).statusCode()).isEqualTo(401);
      assertThat(ask(reporter, "Authorization", "Bearer s3cret").statusCode()).isEqualTo(200);
    } finally {
      reporter.close();
    }
  }

  @Test
  void shouldTakeTheNextPortThatIsFree() throws Exception {
    LocalPrometheusReporter first = reporter(new Properties());
    int port = first.address().getPort();
    Properties range = new Properties();
    range.setProperty("port", port + "-" + Math.min(port + 50, 65_535));
    LocalPrometheusReporter second =
        new LocalPrometheusReporterFactory().createMetricReporter(range);
    try {
      assertThat(second.address().getPort()).isGreaterThan(port);
      Properties taken = new Properties();
      taken.setProperty("port", "" + port);
      assertThatThrownBy(() -> new LocalPrometheusReporterFactory().createMetricReporter(taken))
          .hasMessageContaining("127.0.0.1, port " + port + ": Address already in use");
    } finally {
      second.close();
      first.close();
    }
  }

  @Test
  void shouldBeFoundByFlink() {
    assertThat(ServiceLoader.load(MetricReporterFactory.class))
        .hasAtLeastOneElementOfType(LocalPrometheusReporterFactory.class);
  }

  /** With a scope, as all of Flink's groups have. */
  private static final class ScopedGroup extends UnregisteredMetricsGroup
      implements LogicalScopeProvider {
    @Override
    public String getLogicalScope(CharacterFilter filter) {
      return "job";
    }

    @Override
    public String getLogicalScope(CharacterFilter filter, char delimiter) {
      return "job";
    }

    @Override
    public MetricGroup getWrappedMetricGroup() {
      return this;
    }

    @Override
    public Map<String, String> getAllVariables() {
      return Map.of("<stage>", "rules");
    }
  }
}
