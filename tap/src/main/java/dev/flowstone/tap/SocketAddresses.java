// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;

/** What is asked of addresses of sockets. */
public final class SocketAddresses {
  private SocketAddresses() {}

  /** As somebody would type it: {@code 192.0.2.7:9401}, {@code [::1]:9401}. */
  public static String text(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
  }

  /** Of sockets that have such an address. */
  public static ProtocolFamily family(InetAddress address) {
    return address instanceof Inet6Address
        ? StandardProtocolFamily.INET6
        : StandardProtocolFamily.INET;
  }
}
