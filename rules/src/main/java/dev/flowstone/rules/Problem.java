// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

import dev.flowstone.commandline.EscapedText;
import java.util.Optional;

/** What is wrong at one place of a rules file. */
public record Problem(Place place, Optional<String> rule, String text) {
  /** What somebody wrote may be long; its beginning tells which it is. */
  private static final int MOST_CHARACTERS = 400;

  public Problem {
    // Else a line's end in it would begin a line that nobody wrote.
    text = EscapedText.of(text);
    if (text.codePointCount(0, text.length()) > MOST_CHARACTERS) {
      text = text.substring(0, text.offsetByCodePoints(0, MOST_CHARACTERS)) + "...";
    }
  }

  @Override
  public String toString() {
    return place + ": " + rule.map(name -> "rule " + name + ": ").orElse("") + text;
  }
}
