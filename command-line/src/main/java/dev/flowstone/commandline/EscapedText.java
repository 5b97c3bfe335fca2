// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

/** Text that somebody else chose, such as the name in a ring file, made safe for a terminal. */
public final class EscapedText {
  private EscapedText() {}

  /** The text, but each character that a terminal would obey and not show as {@code \\u001b}. */
  public static String of(String text) {
    StringBuilder escaped = new StringBuilder(text.length());
    text.codePoints().forEach(character -> append(escaped, character));
    return escaped.toString();
  }

  private static void append(StringBuilder escaped, int character) {
    if (isShown(character)) {
      escaped.appendCodePoint(character);
    } else {
      escaped.append(String.format("\\u%04x", character));
    }
  }

  private static boolean isShown(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }
}
