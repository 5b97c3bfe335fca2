// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names under which this page is served. A page from elsewhere could have its own name resolved
 * to this address and then read what is here (DNS rebinding); it cannot change what the browser
 * says in {@code Host}.
 *
 * @param names in lower case, IPv6 addresses in brackets
 * @param anyAddress also every address as such, which no name leads to
 */
record ServedHosts(Set<String> names, boolean anyAddress) {
  private static final Pattern HOST =
      Pattern.compile("(\\[[0-9a-f:.%]+]|[^:\\[\\]/\\s]+)(?::\\d{1,5})?");
  private static final Pattern ADDRESS = Pattern.compile("\\[.*]|\\d{1,3}(?:\\.\\d{1,3}){3}");

  /**
   * @param asked as the user named it
   */
  static ServedHosts of(String asked, InetAddress bound) {
    Set<String> names = new LinkedHashSet<>(Set.of("localhost", "127.0.0.1", "[::1]"));
    names.add(inUrl(asked));
    if (!bound.isLoopbackAddress()) {
      names.add(inUrl(bound.getHostAddress()));
      try {
        names.add(inUrl(InetAddress.getLocalHost().getHostName()));
      } catch (UnknownHostException nameless) {
        // Then nobody asks for it by name.
      }
    }
    return new ServedHosts(Set.copyOf(names), bound.isAnyLocalAddress());
  }

  /** As it stands in a URL. */
  static String inUrl(String host) {
    String name = host.toLowerCase(Locale.ROOT);
    return name.contains(":") && !name.startsWith("[") ? "[" + name + "]" : name;
  }

  /**
   * @param host what the browser asks for, null: nothing
   */
  boolean serves(String host) {
    if (host == null) {
      return false;
    }
    Matcher name = HOST.matcher(host.toLowerCase(Locale.ROOT));
    return name.matches()
        && (names.contains(name.group(1)) || (anyAddress && isAddress(name.group(1))));
  }

  private static boolean isAddress(String name) {
    return ADDRESS.matcher(name).matches();
  }
}
