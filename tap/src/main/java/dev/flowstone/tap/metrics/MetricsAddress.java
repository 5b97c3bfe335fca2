// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.metrics;

import dev.flowstone.tap.SocketAddresses;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Where metrics are served: {@code 9400} on this host alone, or {@code 0.0.0.0:9400}. */
public record MetricsAddress(InetSocketAddress socket) {
  private static final int MOST_PORT = 65_535;

  /** Port 0 is any that is free. */
  public static final class Converter implements ITypeConverter<MetricsAddress> {
    private static final Pattern ADDRESS =
        Pattern.compile("(?:\\[([0-9a-fA-F:.]+)]:|([^:\\s]+):)?(\\d{1,5})");

    @Override
    public MetricsAddress convert(String text) {
      Matcher address = ADDRESS.matcher(text);
      if (!address.matches() || Integer.parseInt(address.group(3)) > MOST_PORT) {
        throw new TypeConversionException(
            "not a port or ADDRESS:PORT, such as 9400, 0.0.0.0:9400 or [::1]:9400: " + text);
      }
      String host = address.group(1) == null ? address.group(2) : address.group(1);
      int port = Integer.parseInt(address.group(3));
      return new MetricsAddress(new InetSocketAddress(resolve(host), port));
    }

    private static InetAddress resolve(String host) {
      try {
        return host == null ? InetAddress.ofLiteral("127.0.0.1") : InetAddress.getByName(host);
      } catch (UnknownHostException e) {
        throw new TypeConversionException("no address is known for " + host);
      }
    }
  }

  @Override
  public String toString() {
    return SocketAddresses.text(socket);
  }
}
