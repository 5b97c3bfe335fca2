// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.run;

import com.sun.net.httpserver.Authenticator;
import dev.flowstone.commandline.Allowed;
import dev.flowstone.commandline.SecretFile;
import dev.flowstone.processes.TokenAuthenticator;
import dev.flowstone.tap.metrics.MetricsAddress;
import dev.flowstone.tap.metrics.MetricsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** When a tap ends and what it leaves behind. */
public final class RunOptions {
  private static final String TOKEN_FILE = "--metrics-token-file";

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Ends after that many seconds; default: with the source, or at Ctrl-C.")
  @Allowed(from = "0.001", to = "31536000", unit = "seconds")
  public Optional<Double> seconds = Optional.empty();

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description = "Writes the final counters as JSON.")
  public Optional<Path> report = Optional.empty();

  @Option(
      names = "--metrics",
      paramLabel = "[ADDRESS:]PORT",
      converter = MetricsAddress.Converter.class,
      description =
          "Serves the counters as Prometheus metrics, at http://127.0.0.1:PORT/metrics or at the"
              + " address given, such as 0.0.0.0:9400.")
  private Optional<MetricsAddress> metrics = Optional.empty();

  @Option(
      names = TOKEN_FILE,
      paramLabel = "FILE",
      description =
          "Only who knows the first line of this file gets metrics: as a bearer token, or as the"
              + " password of any user. Default: everybody who can reach the port.")
  private Optional<Path> metricsTokenFile = Optional.empty();

  @Option(
      names = "--counters-on-request",
      hidden = true,
      description =
          "For each byte on standard input, the counters on standard output as a line of JSON, and"
              + " a last one at the end; ends when standard input does.")
  public boolean countersOnRequest;

  @Option(
      names = "--stop-on-stdin-end",
      hidden = true,
      description = "Ends when standard input does: for a tap that a program started.")
  public boolean stopOnStdinEnd;

  /** Takes the port for metrics, if they are asked for; else null. */
  public MetricsServer bindMetrics() {
    if (metrics.isPresent()) {
      return MetricsServer.bind(metrics.get(), metricsTokenFile.map(RunOptions::authenticator));
    }
    if (metricsTokenFile.isPresent()) {
      throw new IllegalArgumentException(TOKEN_FILE + " protects nothing without --metrics");
    }
    return null;
  }

  private static Authenticator authenticator(Path tokenFile) {
    try {
      return new TokenAuthenticator(SecretFile.firstLine(TOKEN_FILE, tokenFile));
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
  }
}
