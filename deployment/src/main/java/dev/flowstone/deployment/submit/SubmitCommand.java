// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.submit;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.deployment.KnownJobs;
import picocli.CommandLine.Model.CommandSpec;

/** {@code ./flowstone submit}. */
public final class SubmitCommand {
  private SubmitCommand() {}

  public static void main(String[] arguments) {
    System.exit(CommandRunner.run(command(), arguments));
  }

  /** With a subcommand for each job. */
  public static CommandSpec command() {
    CommandSpec command = KnownJobs.commandForEach("submit", SubmitJobCommand::new);
    command.usageMessage().description("Sends a job to a cluster, with all that it needs there.");
    return command;
  }
}
