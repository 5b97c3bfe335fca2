// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.docs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a page tells its reader to do, in its order. A block of commands says behind {@code sh} what
 * a test has to know of it, which no reader sees: {@code shows}, what they have shown in the end;
 * {@code until}, what they have shown when somebody presses Ctrl-C; {@code terminal=1}, that they
 * then go on in that one beside what comes next. In a comment such a block does what readers do in
 * an editor; another comment tells of a Ctrl-C there, or with {@code url} and {@code shows} of what
 * he sees in a browser. Other words, and words that do not go together, are refused: they would
 * check nothing.
 */
public final class Tutorial {
  private static final Pattern STEP =
      Pattern.compile(
          "^(?:```|<!-- )sh(.*)\\n((?s:.*?))^(?:```|-->)$|^<!-- (Ctrl-C|browser)(.*) -->$",
          Pattern.MULTILINE);

  private static final Pattern WORD = Pattern.compile("(\\w+)=(?:\"([^\"]+)\"|([^\\s\"]+))");

  private static final String SHOWS = "shows";
  private static final String UNTIL = "until";
  private static final String TERMINAL = "terminal";
  private static final String URL = "url";
  private static final String BROWSER = "browser";

  private Tutorial() {}

  /** What the reader does next. */
  public sealed interface Step {}

  /** Commands that end. */
  public record Run(String commands, Optional<String> shows) implements Step {}

  /** Commands that would go on, and get Ctrl-C. */
  public record Look(String commands, String until) implements Step {}

  /** Commands that go on in a terminal of their own. */
  public record Begin(String commands, String terminal, String until) implements Step {}

  /** A page in a browser. */
  public record Browse(String url, String shows) implements Step {}

  /** Ctrl-C there. */
  public record Interrupt(String terminal, Optional<String> until) implements Step {}

  public static List<Step> read(String page) {
    List<Step> steps = new ArrayList<>();
    Matcher step = STEP.matcher(page);
    while (step.find()) {
      String commands = step.group(2);
      steps.add(
          commands == null
              ? elsewhere(step.group(3), step.group(4))
              : typed(commands, step.group(1)));
    }
    return steps;
  }

  private static Step elsewhere(String place, String said) {
    return place.equals(BROWSER) ? browse(said) : ctrlC(said);
  }

  private static Step browse(String said) {
    Map<String, String> words = words(said);
    if (!words.keySet().equals(Set.of(URL, SHOWS))) {
      throw refusal(said, "a browser has url and shows");
    }
    return new Browse(words.get(URL), words.get(SHOWS));
  }

  private static Step ctrlC(String said) {
    Map<String, String> words = words(said);
    if (!words.containsKey(TERMINAL) || !Set.of(TERMINAL, UNTIL).containsAll(words.keySet())) {
      throw refusal(said, "Ctrl-C has a terminal, and until where more comes");
    }
    return new Interrupt(words.get(TERMINAL), Optional.ofNullable(words.get(UNTIL)));
  }

  private static Step typed(String commands, String said) {
    Map<String, String> words = words(said);
    if (words.keySet().equals(Set.of(TERMINAL, UNTIL))) {
      return new Begin(commands, words.get(TERMINAL), words.get(UNTIL));
    }
    if (words.keySet().equals(Set.of(UNTIL))) {
      return new Look(commands, words.get(UNTIL));
    }
    if (Set.of(SHOWS).containsAll(words.keySet())) {
      return new Run(commands, Optional.ofNullable(words.get(SHOWS)));
    }
    throw refusal(said, "commands have shows, or until, or terminal and until, or none of them");
  }

  private static Map<String, String> words(String said) {
    Map<String, String> words = new HashMap<>();
    Matcher word = WORD.matcher(said);
    while (word.find()) {
      String value = word.group(2) == null ? word.group(3) : word.group(2);
      if (words.put(word.group(1), value) != null) {
        throw refusal(said, word.group(1) + " stands there twice");
      }
    }
    if (!word.replaceAll("").isBlank()) {
      throw refusal(said, "each is word=\"value\", and no value is empty");
    }
    return words;
  }

  private static IllegalArgumentException refusal(String said, String rule) {
    return new IllegalArgumentException("\"" + said.strip() + "\" of a step: " + rule);
  }
}
