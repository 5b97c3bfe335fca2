// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.forward;

import dev.flowstone.tap.receive.AddressRange;
import java.net.InetAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a host or a prefix: 192.0.2.7, collector, 192.0.2.0/24 or 2001:db8::/32. */
final class AddressRangeConverter implements ITypeConverter<AddressRange> {
  private static final Pattern PREFIX = Pattern.compile("([0-9a-fA-F:.]+)/(\\d{1,3})");

  @Override
  public AddressRange convert(String text) {
    Matcher prefix = PREFIX.matcher(text);
    if (!prefix.matches()) {
      return AddressRange.of(new HostAddress().convert(text));
    }
    InetAddress address = new HostAddress().convert(prefix.group(1));
    try {
      return new AddressRange(address, Integer.parseInt(prefix.group(2)));
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage() + ": " + text);
    }
  }
}
