// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.deployment.KnownJobs;
import dev.flowstone.harness.ExitLimit;
import java.time.Duration;
import picocli.CommandLine.Model.CommandSpec;

/** {@code ./flowstone job}. */
public final class JobCommand {
  /** What is to be closed has been: hooks of Flink and Kafka are left. */
  private static final Duration EXIT_LIMIT = Duration.ofSeconds(10);

  private static final int FAILED = 1;

  private JobCommand() {}

  public static void main(String[] arguments) {
    ExitLimit.set(EXIT_LIMIT, FAILED);
    System.exit(CommandRunner.run(command(), arguments));
  }

  /** With a subcommand for each job. */
  public static CommandSpec command() {
    CommandSpec command = KnownJobs.commandForEach("job", EmbeddedJobCommand::new);
    command
        .usageMessage()
        .description("Runs a job in this process, on rings and a broker that are there already.");
    return command;
  }
}
