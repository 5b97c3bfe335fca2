// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How names of the code read on a page. */
final class Words {
  private static final Pattern LONG_NUMBER = Pattern.compile("(?<![.\\d])\\d{5,}");

  private Words() {}

  static String code(String text) {
    return text.isEmpty() ? "" : "`" + text + "`";
  }

  /** {@code PacketBatchOptions}: packet batch options. */
  static String ofClass(Class<?> type) {
    return Stream.of(type.getSimpleName().split("(?=[A-Z])"))
        .map(word -> word.toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(" "))
        .replace("quest db", "QuestDB")
        .replace("kafka", "Kafka");
  }

  static String capitalised(String text) {
    return text.isEmpty()
        ? text
        : text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
  }

  /**
   * With a capital, unless its first word is one of the values that it tells of, and a full stop.
   */
  static String sentence(String text) {
    String words = text.strip();
    boolean isOfValues = words.matches("(?s)[a-z_-]+[:;].*");
    return (isOfValues ? words : capitalised(words)) + (words.matches("(?s).*[.:]") ? "" : ".");
  }

  /** 31,536,000, where it is 31536000. */
  static String grouped(String text) {
    return LONG_NUMBER
        .matcher(text)
        .replaceAll(number -> String.format(Locale.ROOT, "%,d", Long.parseLong(number.group())));
  }

  /** As GitHub and others make one of a heading. */
  static String anchor(String heading) {
    return heading
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^a-z0-9 _-]", "")
        .strip()
        .replace(' ', '-');
  }

  static String link(String heading) {
    return "[" + heading + "](#" + anchor(heading) + ")";
  }

  static String link(String heading, String page) {
    return "[" + heading + "](" + page + "#" + anchor(heading) + ")";
  }
}
