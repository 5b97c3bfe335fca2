// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** The name that was probably meant by one that nobody knows. */
public final class ClosestName {
  /** Two slips of a finger; more is another word. */
  private static final int MOST_SLIPS = 2;

  private ClosestName() {}

  /** The known name that takes the fewest slips, if these are few. */
  public static Optional<String> of(String typed, Collection<String> known) {
    return known.stream()
        .min(Comparator.comparingInt(name -> slips(typed, name)))
        .filter(name -> slips(typed, name) <= MOST_SLIPS);
  }

  /** Letters to add, to leave out or to replace (Levenshtein's distance). */
  private static int slips(String typed, String name) {
    int[] above = new int[name.length() + 1];
    for (int column = 0; column <= name.length(); column++) {
      above[column] = column;
    }
    for (int row = 1; row <= typed.length(); row++) {
      int[] here = new int[name.length() + 1];
      here[0] = row;
      for (int column = 1; column <= name.length(); column++) {
        int replaced =
            above[column - 1] + (typed.charAt(row - 1) == name.charAt(column - 1) ? 0 : 1);
        here[column] = Math.min(replaced, 1 + Math.min(above[column], here[column - 1]));
      }
      above = here;
    }
    return above[name.length()];
  }
}
