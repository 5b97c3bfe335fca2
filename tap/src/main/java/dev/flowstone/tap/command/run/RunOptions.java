// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.run;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.tap.metrics.MetricsAddress;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** When a tap ends and what it leaves behind. */
public final class RunOptions {
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
  public Optional<MetricsAddress> metrics = Optional.empty();

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
}
