// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.deployment.KnownJobs;
import picocli.CommandLine.Model.CommandSpec;

/** {@code ./flowstone job}. */
public final class JobCommand {
  private JobCommand() {}

  public static void main(String[] arguments) {
    CommandSpec command = KnownJobs.commandForEach("job", EmbeddedJobCommand::new);
    command
        .usageMessage()
        .description("Runs a job in this process, on rings and a broker that are there already.");
    System.exit(CommandRunner.run(command, arguments));
  }
}
