// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Collects what is wrong with a file, so that all of it is told at once. */
public final class Problems {
  /** Whoever has more repairs these first. */
  public static final int MOST_TOLD = 20;

  private final String file;
  private final List<Problem> told = new ArrayList<>();
  private Optional<String> rule = Optional.empty();
  private int count;

  public Problems(String file) {
    this.file = file;
  }

  /** What is found from now on belongs to this rule. */
  public void enter(Optional<String> ruleName) {
    rule = ruleName;
  }

  public void add(Place place, String text) {
    count++;
    if (told.size() < MOST_TOLD) {
      told.add(new Problem(place, rule, text));
    }
  }

  public int count() {
    return count;
  }

  /** Refuses the file if something was added. */
  public void throwIfAny() {
    if (count > 0) {
      throw new RulesFileException(
          file, told.stream().sorted(Comparator.comparing(Problem::place)).toList(), count);
    }
  }
}
