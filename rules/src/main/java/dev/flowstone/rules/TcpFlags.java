// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

import java.util.List;
import java.util.StringJoiner;

/** TCP's flags in words: {@code syn and not ack}. */
public final class TcpFlags {
  /** In the order of their bits. */
  private static final List<String> NAMES =
      List.of("fin", "syn", "rst", "psh", "ack", "urg", "ece", "cwr");

  private TcpFlags() {}

  /** Reads names joined by {@code and}, each with or without {@code not}; or value/mask. */
  public static ByteMatch parse(String text) {
    if (!text.isEmpty() && Character.isDigit(text.charAt(0))) {
      return ByteMatch.parse(text);
    }
    int value = 0;
    int mask = 0;
    for (String term : text.split(" and ", -1)) {
      boolean unset = term.startsWith("not ");
      int bit = NAMES.indexOf(unset ? term.substring(4) : term);
      if (bit < 0) {
        throw new IllegalArgumentException(
            "not TCP flags, which are some of "
                + String.join(", ", NAMES)
                + " such as 'syn and not ack', or a value/mask: "
                + text);
      }
      if ((mask & 1 << bit) != 0) {
        throw new IllegalArgumentException(NAMES.get(bit) + " stands twice: " + text);
      }
      mask |= 1 << bit;
      value |= unset ? 0 : 1 << bit;
    }
    return new ByteMatch(value, mask);
  }

  /** Set flags first. */
  public static String text(ByteMatch match) {
    if (match.mask() == 0) {
      return match.toString();
    }
    StringJoiner terms = new StringJoiner(" and ");
    addTerms(terms, "", match.value());
    addTerms(terms, "not ", match.mask() & ~match.value());
    return terms.toString();
  }

  private static void addTerms(StringJoiner terms, String before, int bits) {
    for (int bit = 0; bit < NAMES.size(); bit++) {
      if ((bits & 1 << bit) != 0) {
        terms.add(before + NAMES.get(bit));
      }
    }
  }
}
