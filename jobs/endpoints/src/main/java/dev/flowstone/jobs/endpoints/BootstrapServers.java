// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where brokers are said to be; Kafka's client says no more than that it cannot be made. */
final class BootstrapServers {
  private static final Pattern ADDRESS = Pattern.compile("(\\[\\S+]|[^:\\s]+):(\\d{1,5})");
  private static final int MOST_PORT = 65_535;

  private BootstrapServers() {}

  /**
   * At least one must have a host that is known; the client does without the others.
   *
   * @throws IllegalArgumentException naming the address and what is wrong with it
   */
  static void require(String servers) {
    List<String> addresses = Arrays.stream(servers.split(",", -1)).map(String::strip).toList();
    List<InetSocketAddress> hosts = addresses.stream().map(BootstrapServers::parse).toList();
    if (hosts.stream().allMatch(InetSocketAddress::isUnresolved)) {
      throw new IllegalArgumentException(
          "--bootstrap-servers: " + String.join(", ", addresses) + ": host not known");
    }
  }

  private static InetSocketAddress parse(String address) {
    Matcher parts = ADDRESS.matcher(address);
    if (!parts.matches() || Integer.parseInt(parts.group(2)) > MOST_PORT) {
      throw new IllegalArgumentException("--bootstrap-servers: " + address + ": not HOST:PORT");
    }
    return new InetSocketAddress(parts.group(1), Integer.parseInt(parts.group(2)));
  }
}
