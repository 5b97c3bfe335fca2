// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.cluster;

import dev.flowstone.commandline.CommandRunner;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ./flowstone cluster}. */
@Command(
    name = "cluster",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "start|stop|status",
    description =
        "Flink on this machine: a JobManager and TaskManagers as processes of their own, which are"
            + " started again when they die. Only localhost can reach them.",
    subcommands = {StartCommand.class, StopCommand.class, StatusCommand.class})
public final class ClusterCommand implements Runnable {
  @Spec private CommandSpec command;

  @Override
  public void run() {
    throw new ParameterException(command.commandLine(), "say start, stop or status");
  }

  public static void main(String[] arguments) {
    System.exit(CommandRunner.run(new ClusterCommand(), arguments));
  }
}
