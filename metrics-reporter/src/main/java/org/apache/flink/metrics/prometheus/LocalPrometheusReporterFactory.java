// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.metrics.prometheus;

import com.sun.net.httpserver.Authenticator;
import dev.flowstone.processes.TokenAuthenticator;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import org.apache.flink.metrics.reporter.MetricReporterFactory;
import org.apache.flink.util.PortRange;

/**
 * Flink finds it as {@code metrics.reporter.NAME.factory.class}. Options beside those of Flink's
 * own reporter: {@code address}, by default localhost, and {@code token-file}, whose first line
 * askers must know.
 */
public final class LocalPrometheusReporterFactory implements MetricReporterFactory {
  private static final String ADDRESS = "address";
  private static final String PORT = "port";
  private static final String TOKEN_FILE = "token-file";
  private static final String DEFAULT_ADDRESS = "127.0.0.1";
  private static final String DEFAULT_PORT = "9249";

  @Override
  public LocalPrometheusReporter createMetricReporter(Properties properties) {
    String address = properties.getProperty(ADDRESS, DEFAULT_ADDRESS);
    String ports = properties.getProperty(PORT, DEFAULT_PORT);
    try {
      return bind(
          InetAddress.getByName(address),
          new PortRange(ports),
          authenticator(properties.getProperty(TOKEN_FILE)));
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "metrics cannot be served at " + address + ", port " + ports + ": " + e.getMessage(), e);
    }
  }

  /** At the first port that is free. */
  private static LocalPrometheusReporter bind(
      InetAddress address, PortRange ports, Optional<Authenticator> authenticator)
      throws IOException {
    BindException taken = null;
    for (var each = ports.getPortsIterator(); each.hasNext(); ) {
      try {
        return new LocalPrometheusReporter(
            new InetSocketAddress(address, each.next()), authenticator);
      } catch (BindException e) {
        taken = e;
      }
    }
    throw taken == null ? new IOException("no port was given") : taken;
  }

  private static Optional<Authenticator> authenticator(String tokenFile) throws IOException {
    if (tokenFile == null) {
      return Optional.empty();
    }
    String token = Files.readString(Path.of(tokenFile)).lines().findFirst().orElse("").strip();
    if (token.isEmpty()) {
      throw new IOException("the first line of " + tokenFile + " is empty; it must be the token");
    }
    return Optional.of(new TokenAuthenticator(token));
  }
}
