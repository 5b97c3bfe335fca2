// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment;

import java.io.IOException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MetricOptions;
import picocli.CommandLine.Option;

/** Whether Flink's processes serve their metrics, and with them those of the job's stages. */
public final class MetricsOption {
  private static final String NAME = "--metrics";
  private static final Pattern PORTS = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?");
  private static final String REPORTER = "prometheus";
  private static final String FACTORY =
      "org.apache.flink.metrics.prometheus.PrometheusReporterFactory";

  @Option(
      names = NAME,
      paramLabel = "PORT[-PORT]",
      description =
          "Serves metrics to Prometheus at this port, to everybody who can reach this machine; of a"
              + " range each process takes the next port that is free. Default: not.")
  private Optional<String> ports = Optional.empty();

  /** What they may be, from the first to the last. */
  private record Range(int first, int last) {
    static Range of(String words) {
      Matcher parts = PORTS.matcher(words);
      if (!parts.matches()) {
        throw new IllegalArgumentException(NAME + " is PORT or PORT-PORT, not " + words);
      }
      int first = Integer.parseInt(parts.group(1));
      int last = parts.group(2) == null ? first : Integer.parseInt(parts.group(2));
      if (first < 1 || last < first || last > LocalPort.MOST) {
        throw new IllegalArgumentException(
            "%s must be ports from 1 to %,d, the lower one first: %s"
                .formatted(NAME, LocalPort.MOST, words));
      }
      return new Range(first, last);
    }

    int count() {
      return last - first + 1;
    }
  }

  /**
   * Puts what was told beside what the configuration says.
   *
   * @param processes that will serve
   * @return the ports, if there are any; of one process the one that it will have
   * @throws IOException if all are taken: Flink itself would go on without a word
   */
  public Optional<String> putInto(Configuration configuration, int processes) throws IOException {
    if (ports.isEmpty()) {
      return Optional.empty();
    }
    Range range = Range.of(ports.get());
    if (range.count() < processes) {
      throw new IllegalArgumentException(
          "%s %s: each of %d processes needs a port of its own, such as %s %d-%d"
              .formatted(
                  NAME,
                  ports.get(),
                  processes,
                  NAME,
                  range.first,
                  Math.min(range.first + processes - 1, LocalPort.MOST)));
    }
    String chosen =
        processes == 1 ? Integer.toString(firstFree(range)) : range.first + "-" + range.last;
    addReporter(configuration, REPORTER, FACTORY);
    configuration.setString("metrics.reporter." + REPORTER + ".port", chosen);
    // Else "Source: rings" would be Source:_rings there, and the rule to-web to_web.
    configuration.setString(
        "metrics.reporter." + REPORTER + ".filterLabelValueCharacters", "false");
    return Optional.of(chosen);
  }

  private static int firstFree(Range range) throws IOException {
    for (int port = range.first; port < range.last; port++) {
      try {
        return LocalPort.requireFree(port, NAME).number();
      } catch (IOException taken) {
        // The next one may do.
      }
    }
    return LocalPort.requireFree(range.last, NAME).number();
  }

  /** Beside those that are there: a list of them, where there is one, says which are used. */
  public static void addReporter(Configuration configuration, String name, String factory) {
    configuration.setString("metrics.reporter." + name + ".factory.class", factory);
    configuration
        .getOptional(MetricOptions.REPORTERS_LIST)
        .ifPresent(list -> configuration.set(MetricOptions.REPORTERS_LIST, list + "," + name));
  }
}
