// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment;

import dev.flowstone.commandline.SecretFile;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MetricOptions;
import picocli.CommandLine.Option;

/** Whether Flink's processes serve their metrics, and with them those of the job's stages. */
public final class MetricsOption {
  private static final String NAME = "--metrics";
  private static final String TOKEN_FILE = "--metrics-token-file";
  private static final Pattern PLACE =
      Pattern.compile("(?:\\[([0-9a-fA-F:.]+)]:|([^:\\s]+):)?(\\d{1,5})(?:-(\\d{1,5}))?");
  private static final String REPORTER = "prometheus";
  private static final String PREFIX = "metrics.reporter." + REPORTER + ".";
  private static final String FACTORY =
      "org.apache.flink.metrics.prometheus.LocalPrometheusReporterFactory";
  private static final String LOCALHOST = "127.0.0.1";

  @Option(
      names = NAME,
      paramLabel = "[ADDRESS:]PORT[-PORT]",
      description =
          "Serves metrics to Prometheus at this port of localhost, or at the address given, such as"
              + " 0.0.0.0:9249. Of a range each process takes the next port that is free. Default:"
              + " not.")
  private Optional<String> place = Optional.empty();

  @Option(
      names = TOKEN_FILE,
      paramLabel = "FILE",
      description =
          "Only who knows the first line of this file gets metrics: as a bearer token, or as the"
              + " password of any user. Default: everybody who can reach the port.")
  private Optional<Path> tokenFile = Optional.empty();

  /** Where, and at which ports from the first to the last. */
  private record Place(String host, int first, int last) {
    static Place of(String words) {
      Matcher parts = PLACE.matcher(words);
      if (!parts.matches()) {
        throw new IllegalArgumentException(
            NAME + " is [ADDRESS:]PORT or [ADDRESS:]PORT-PORT, not " + words);
      }
      int first = Integer.parseInt(parts.group(3));
      int last = parts.group(4) == null ? first : Integer.parseInt(parts.group(4));
      if (first < 1 || last < first || last > LocalPort.MOST) {
        throw new IllegalArgumentException(
            "%s must be ports from 1 to %,d, the lower one first: %s"
                .formatted(NAME, LocalPort.MOST, words));
      }
      String host = parts.group(1) == null ? parts.group(2) : parts.group(1);
      return new Place(host == null ? LOCALHOST : host, first, last);
    }

    int count() {
      return last - first + 1;
    }

    int firstFree() throws IOException {
      InetAddress address = InetAddress.getByName(host);
      for (int port = first; port < last; port++) {
        try {
          return LocalPort.requireFree(address, port, NAME).number();
        } catch (IOException taken) {
          // The next one may do.
        }
      }
      return LocalPort.requireFree(address, last, NAME).number();
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
    if (place.isEmpty()) {
      requireNoToken();
      return Optional.empty();
    }
    Place asked = Place.of(place.get());
    if (asked.count() < processes) {
      throw new IllegalArgumentException(
          "%s %s: each of %d processes needs a port of its own, such as %s %d-%d"
              .formatted(
                  NAME,
                  place.get(),
                  processes,
                  NAME,
                  asked.first,
                  Math.min(asked.first + processes - 1, LocalPort.MOST)));
    }
    String ports =
        processes == 1 ? Integer.toString(asked.firstFree()) : asked.first + "-" + asked.last;
    addReporter(configuration, REPORTER, FACTORY);
    configuration.setString(PREFIX + "address", asked.host);
    configuration.setString(PREFIX + "port", ports);
    if (tokenFile.isPresent()) {
      SecretFile.firstLine(TOKEN_FILE, tokenFile.get());
      configuration.setString(PREFIX + "token-file", tokenFile.get().toAbsolutePath().toString());
    }
    // Else "Source: rings" would be Source:_rings there, and the rule to-web to_web.
    configuration.setString(PREFIX + "filterLabelValueCharacters", "false");
    return Optional.of(ports);
  }

  private void requireNoToken() {
    if (tokenFile.isPresent()) {
      throw new IllegalArgumentException(TOKEN_FILE + " protects nothing without " + NAME);
    }
  }

  /** Beside those that are there: a list of them, where there is one, says which are used. */
  public static void addReporter(Configuration configuration, String name, String factory) {
    configuration.setString("metrics.reporter." + name + ".factory.class", factory);
    configuration
        .getOptional(MetricOptions.REPORTERS_LIST)
        .ifPresent(list -> configuration.set(MetricOptions.REPORTERS_LIST, list + "," + name));
  }
}
