// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** How a name of the YAML reads in each language. */
final class Names {
  private static final Pattern SNAKE_CASE = Pattern.compile("[a-z][a-z0-9]*(_[a-z0-9]+)*");

  private Names() {}

  static boolean isSnakeCase(String name) {
    return SNAKE_CASE.matcher(name).matches();
  }

  /** {@code packet_record} becomes {@code PACKET_RECORD}. */
  static String constant(String name) {
    return name.toUpperCase(Locale.ROOT);
  }

  /** {@code packet_record} becomes {@code PacketRecord}. */
  static String camelCase(String name) {
    return Arrays.stream(name.split("_"))
        .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
        .collect(Collectors.joining());
  }

  static String javaLayout(Layout layout) {
    return camelCase(layout.name()) + "Layout";
  }

  static String c(String owner, String name) {
    return "FS_" + constant(owner) + "_" + constant(name);
  }

  /** {@code packet-record} becomes {@code Packet record}. */
  static String heading(String stem) {
    return stem.substring(0, 1).toUpperCase(Locale.ROOT) + stem.substring(1).replace('-', ' ');
  }
}
