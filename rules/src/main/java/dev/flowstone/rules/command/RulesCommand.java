// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.command;

import dev.flowstone.commandline.CommandRunner;
import picocli.CommandLine.Command;

/** {@code ./flowstone rules}: looks at rules before a job does. */
@Command(
    name = "rules",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    description = "Checks rules files, and makes them of other forms.",
    subcommands = {CheckCommand.class, ImportCommand.class})
public final class RulesCommand {
  public static void main(String[] arguments) {
    System.exit(CommandRunner.run(new RulesCommand(), arguments));
  }
}
