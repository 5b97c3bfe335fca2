// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.forward;

import java.net.InetAddress;
import java.net.UnknownHostException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads HOST, such as 192.0.2.7, 2001:db8::7 or collector. */
final class HostAddress implements ITypeConverter<InetAddress> {

  @Override
  public InetAddress convert(String host) {
    try {
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new TypeConversionException("no address is known for " + host);
    }
  }
}
