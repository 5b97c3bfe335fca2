// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The names that rules give IP protocols; any other has its number. */
public final class Protocols {
  public static final int TCP = 6;
  public static final int UDP = 17;

  private static final Map<String, Integer> NUMBERS = new LinkedHashMap<>();

  static {
    NUMBERS.put("icmp", 1);
    NUMBERS.put("igmp", 2);
    NUMBERS.put("tcp", TCP);
    NUMBERS.put("udp", UDP);
    NUMBERS.put("gre", 47);
    NUMBERS.put("esp", 50);
    NUMBERS.put("ah", 51);
    NUMBERS.put("icmpv6", 58);
    NUMBERS.put("ospf", 89);
    NUMBERS.put("sctp", 132);
  }

  /** DCCP and UDP-Lite beside those with a name here. */
  private static final Set<Integer> WITH_PORTS = Set.of(TCP, UDP, 33, 132, 136);

  private Protocols() {}

  /** Whether packets of this protocol have ports in their records. */
  static boolean hasPorts(int protocol) {
    return WITH_PORTS.contains(protocol);
  }

  /** Reads a name, a number, or value/mask. */
  public static ByteMatch parse(String text) {
    Integer number = NUMBERS.get(text);
    if (number != null) {
      return ByteMatch.exactly(number);
    }
    try {
      return ByteMatch.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "not a protocol, which is one of "
              + String.join(", ", NUMBERS.keySet())
              + ", a number of 0 to 255 or a value/mask: "
              + text,
          e);
    }
  }

  public static String text(ByteMatch match) {
    return name(match).orElseGet(match::toString);
  }

  /** Empty for what has none. */
  static Optional<String> name(ByteMatch match) {
    return NUMBERS.entrySet().stream()
        .filter(each -> match.equals(ByteMatch.exactly(each.getValue())))
        .map(Map.Entry::getKey)
        .findAny();
  }
}
