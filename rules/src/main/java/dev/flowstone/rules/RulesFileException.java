// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

import dev.flowstone.commandline.EscapedText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A rules file that is refused, with all that is wrong in it. */
public final class RulesFileException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<Problem> problems;

  RulesFileException(String file, List<Problem> problems, int count) {
    super(String.join("\n", lines(file, problems, count)));
    this.problems = List.copyOf(problems);
  }

  /** A file with one problem, after which nothing else is looked at. */
  public static RulesFileException of(String file, Place place, String text) {
    return new RulesFileException(file, List.of(new Problem(place, Optional.empty(), text)), 1);
  }

  /** The first ones; the message says how many more there are. */
  public List<Problem> problems() {
    return problems;
  }

  private static List<String> lines(String file, List<Problem> problems, int count) {
    String place = EscapedText.of(file);
    List<String> lines = new ArrayList<>();
    problems.forEach(problem -> lines.add(place + ":" + problem));
    if (count > problems.size()) {
      lines.add(place + ": and " + (count - problems.size()) + " more");
    }
    return lines;
  }
}
