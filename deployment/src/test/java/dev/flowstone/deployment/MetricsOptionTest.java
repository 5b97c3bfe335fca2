// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MetricOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class MetricsOptionTest {
  private static MetricsOption parsed(String... words) {
    MetricsOption option = new MetricsOption();
    new CommandLine(CommandLine.Model.CommandSpec.forAnnotatedObject(option)).parseArgs(words);
    return option;
  }

  @Test
  void shouldServeNothingUnlessAsked() throws Exception {
    Configuration configuration = new Configuration();
    assertThat(parsed().putInto(configuration, 1)).isEmpty();
    assertThat(configuration.keySet()).isEmpty();
  }

  @Test
  void shouldLeaveReportersOfTheConfigurationWhereTheyAre() throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(MetricOptions.REPORTERS_LIST, "slf4j");

    assertThat(parsed("--metrics", "20000-20003").putInto(configuration, 3))
        .contains("20000-20003");

    assertThat(configuration.get(MetricOptions.REPORTERS_LIST)).isEqualTo("slf4j,prometheus");
    assertThat(configuration.getString("metrics.reporter.prometheus.port", ""))
        .isEqualTo("20000-20003");
  }

  @Test
  void shouldListenOnLocalhostUnlessToldOtherwise() throws Exception {
    assertThat(addressOf("--metrics", "20000-20050")).isEqualTo("127.0.0.1");
    assertThat(addressOf("--metrics", "0.0.0.0:20000-20050")).isEqualTo("0.0.0.0");
    assertThat(addressOf("--metrics", "[::1]:20000-20050")).isEqualTo("::1");
  }

  private static String addressOf(String... words) throws Exception {
    Configuration configuration = new Configuration();
    parsed(words).putInto(configuration, 1);
    return configuration.getString("metrics.reporter.prometheus.address", "");
  }

  @Test
  void shouldNameTheFileOfTheTokenAndNeverTheToken(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("token"), "s3cret\n");
    Configuration configuration = new Configuration();
    parsed("--metrics", "20000-20050", "--metrics-token-file", file.toString())
        .putInto(configuration, 1);
    assertThat(configuration.getString("metrics.reporter.prometheus.token-file", ""))
        .isEqualTo(file.toString());
    assertThat(configuration.toString()).doesNotContain("s3cret");
  }

  @Test
  void shouldRefuseATokenThatProtectsNothing(@TempDir Path folder) throws Exception {
    Path empty = Files.writeString(folder.resolve("empty"), "\n");
    assertThatThrownBy(
            () -> parsed("--metrics-token-file", empty.toString()).putInto(new Configuration(), 1))
        .hasMessage("--metrics-token-file protects nothing without --metrics");
    assertThatThrownBy(
            () ->
                parsed("--metrics", "20000-20050", "--metrics-token-file", empty.toString())
                    .putInto(new Configuration(), 1))
        .hasMessageContaining("--metrics-token-file: the first line of " + empty + " is empty");
  }

  @Test
  void shouldPassOverAPortThatIsTaken() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      assertThatThrownBy(() -> parsed("--metrics", "" + port).putInto(new Configuration(), 1))
          .hasMessage("port " + port + " is taken; choose another with --metrics");
      assertThat(parsed("--metrics", port + "-" + (port + 50)).putInto(new Configuration(), 1))
          .get()
          .isNotEqualTo("" + port);
    }
  }

  @Test
  void shouldRefuseWhatIsNoRangeOrTooShort() {
    Configuration configuration = new Configuration();
    assertThatThrownBy(() -> parsed("--metrics", "web").putInto(configuration, 1))
        .hasMessage("--metrics is [ADDRESS:]PORT or [ADDRESS:]PORT-PORT, not web");
    assertThatThrownBy(() -> parsed("--metrics", "9-8").putInto(configuration, 1))
        .hasMessage("--metrics must be ports from 1 to 65,535, the lower one first: 9-8");
    assertThatThrownBy(() -> parsed("--metrics", "9249").putInto(configuration, 3))
        .hasMessage(
            "--metrics 9249: each of 3 processes needs a port of its own, such as --metrics"
                + " 9249-9251");
  }
}
