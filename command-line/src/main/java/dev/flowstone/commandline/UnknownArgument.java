// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says what a command does not know, and what was probably meant. */
final class UnknownArgument {
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
    return ClosestName.of(typed, known).map(name -> " (did you mean " + name + "?)").orElse("");
  }
}
