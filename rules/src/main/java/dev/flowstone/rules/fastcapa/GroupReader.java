// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.fastcapa;

import dev.flowstone.rules.Place;
import dev.flowstone.rules.Problems;
import java.util.Optional;

/**
 * Reads keys and values in groups of braces: {@code name { key = value; ... }}. Between key and
 * value stands an equals sign, a colon or a blank; a semicolon, a comma or a line's end follows.
 * Round and square brackets around groups are passed over. Comments as in C, and after {@code #}.
 */
final class GroupReader {
  private static final int MOST_DEPTH = 16;
  private static final String BRACKETS = "()[];,";

  private final String text;
  private final Problems problems;
  private int at;
  private int line = 1;
  private int lineStart;

  private GroupReader(String text, Problems problems) {
    this.text = text;
    this.problems = problems;
  }

  /** The file as a group without a name; empty if it cannot be read, which the problems say. */
  static Optional<Group> read(String text, Problems problems) {
    GroupReader reader = new GroupReader(text, problems);
    Group file = new Group(Place.START, "");
    return reader.fill(file, MOST_DEPTH) ? Optional.of(file) : Optional.empty();
  }

  /** Reads up to the group's brace, or to the end of the file that is a group. */
  private boolean fill(Group group, int depthLeft) {
    boolean isFile = depthLeft == MOST_DEPTH;
    String name = "";
    for (skipBlanks(BRACKETS); at < text.length(); skipBlanks(BRACKETS)) {
      char next = text.charAt(at);
      Place place = place();
      if (next == '}') {
        at++;
        return !isFile || refuse(place, "a brace is closed that was never opened");
      }
      if (next == '{') {
        at++;
        Group inner = new Group(place, name);
        if (depthLeft == 1) {
          return refuse(place, "nested more than " + MOST_DEPTH + " deep");
        }
        if (!fill(inner, depthLeft - 1)) {
          return false;
        }
        group.groups().add(inner);
        name = "";
        continue;
      }
      String key = word("=:");
      if (key.isEmpty()) {
        return refuse(place, "a key or a brace expected: " + next);
      }
      skipBlanks("");
      at += isSeparator() ? 1 : 0;
      skipBlanks("");
      int beforeList = at;
      skipBlanks("([");
      if (at < text.length() && text.charAt(at) == '{') {
        // Of a list of groups it is the list's name.
        name = at == beforeList ? key : "";
        continue;
      }
      Optional<String> value = value();
      if (value.isEmpty()) {
        return refuse(place, key + " has no value");
      }
      group.settings().add(new Setting(place, key, value.get()));
    }
    return isFile || refuse(group.place(), "this brace is never closed");
  }

  /** Two colons begin an address. */
  private boolean isSeparator() {
    return text.startsWith("=", at) || (text.startsWith(":", at) && !text.startsWith("::", at));
  }

  private Optional<String> value() {
    if (at < text.length() && text.charAt(at) == '"') {
      int end = text.indexOf('"', at + 1);
      if (end < 0 || text.substring(at, end).contains("\n")) {
        return Optional.empty();
      }
      String quoted = text.substring(at + 1, end);
      at = end + 1;
      return Optional.of(quoted);
    }
    String word = word("");
    return word.isEmpty() ? Optional.empty() : Optional.of(word);
  }

  private String word(String alsoEndedBy) {
    int start = at;
    while (at < text.length() && !endsWord(text.charAt(at), alsoEndedBy)) {
      at++;
    }
    return text.substring(start, at);
  }

  private static boolean endsWord(char letter, String alsoEndedBy) {
    return Character.isWhitespace(letter)
        || "{}\"".indexOf(letter) >= 0
        || BRACKETS.indexOf(letter) >= 0
        || alsoEndedBy.indexOf(letter) >= 0;
  }

  private void skipBlanks(String alsoSkipped) {
    while (at < text.length()) {
      char next = text.charAt(at);
      if (next == '\n') {
        line++;
        lineStart = ++at;
      } else if (Character.isWhitespace(next) || alsoSkipped.indexOf(next) >= 0) {
        at++;
      } else if (next == '#' || text.startsWith("//", at)) {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
      } else if (text.startsWith("/*", at)) {
        skipLongComment();
      } else {
        return;
      }
    }
  }

  private void skipLongComment() {
    int end = text.indexOf("*/", at + 2);
    if (end < 0) {
      // What it hides may be rules.
      problems.add(place(), "this comment is never closed");
    }
    int stop = end < 0 ? text.length() : end + 2;
    for (; at < stop; at++) {
      if (text.charAt(at) == '\n') {
        line++;
        lineStart = at + 1;
      }
    }
  }

  private Place place() {
    return new Place(line, at - lineStart + 1);
  }

  private boolean refuse(Place place, String why) {
    problems.add(place, why);
    return false;
  }
}
