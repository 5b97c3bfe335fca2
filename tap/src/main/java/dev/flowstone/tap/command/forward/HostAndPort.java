// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.forward;

import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads HOST:PORT, such as 192.0.2.7:9401, collector:9401 or [2001:db8::7]:9401. */
final class HostAndPort implements ITypeConverter<InetSocketAddress> {
  private static final Pattern ADDRESS =
      Pattern.compile("(?:\\[([0-9a-fA-F:.]+)]|([^:\\s]+)):(\\d{1,5})");
  private static final int MOST_PORT = 65_535;

  @Override
  public InetSocketAddress convert(String text) {
    Matcher address = ADDRESS.matcher(text);
    if (!address.matches() || Integer.parseInt(address.group(3)) > MOST_PORT) {
      throw new TypeConversionException(
          "not HOST:PORT, such as 192.0.2.7:9401, collector:9401 or [2001:db8::7]:9401: " + text);
    }
    String host = address.group(1) == null ? address.group(2) : address.group(1);
    return new InetSocketAddress(
        new HostAddress().convert(host), Integer.parseInt(address.group(3)));
  }
}
