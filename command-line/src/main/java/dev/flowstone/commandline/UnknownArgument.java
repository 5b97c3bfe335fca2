// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says what a command does not know, and what was probably meant. */
final class UnknownArgument {
  /** Two slips of a finger; more is another word. */
  private static final int MOST_SLIPS = 2;

  private UnknownArgument() {}

  /** Of the first one: what follows a misspelled option is but its value. */
  static String refusal(UnmatchedArgumentException e) {
    CommandSpec command = e.getCommandLine().getCommandSpec();
    String typed = e.getUnmatched().getFirst().split("=", 2)[0];
    if (typed.startsWith("-")) {
      return "unknown option " + typed + likely(typed, options(command));
    }
    List<String> commands = List.copyOf(command.subcommands().keySet());
    return commands.isEmpty()
        ? "unexpected argument " + typed
        : "unknown command " + typed + likely(typed, commands);
  }

  private static List<String> options(CommandSpec command) {
    return command.options().stream()
        .filter(option -> !option.hidden())
        .flatMap(option -> Stream.of(option.names()))
        .filter(name -> name.startsWith("--"))
        .toList();
  }

  private static String likely(String typed, List<String> known) {
    Optional<String> closest =
        known.stream().min(Comparator.comparingInt(name -> slips(typed, name)));
    return closest
        .filter(name -> slips(typed, name) <= MOST_SLIPS)
        .map(name -> " (did you mean " + name + "?)")
        .orElse("");
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
