// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import dev.flowstone.commandline.CommandRunner;
import picocli.CommandLine.Command;

/** {@code ./flowstone tap}: fills ring files. */
@Command(
    name = "tap",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "replay|live|synthetic",
    description = "Fills ring files with packet records.",
    subcommands = {ReplayCommand.class, LiveCommand.class, SyntheticCommand.class})
public final class TapCommand {
  private TapCommand() {}

  public static void main(String[] arguments) {
    System.exit(CommandRunner.run(new TapCommand(), arguments));
  }
}
