// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.deployment.ExecutionOptions;
import dev.flowstone.deployment.LocalPort;
import dev.flowstone.deployment.MetricsOption;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What can be told of a run in this process, whatever the job. */
final class EmbeddedRunOptions {
  @Mixin ExecutionOptions execution = new ExecutionOptions();

  @Mixin MetricsOption metrics = new MetricsOption();

  @Option(
      names = "--checkpoints",
      paramLabel = "DIR",
      description =
          "Folder of this job's checkpoints, and of no other's. The next start goes on from the"
              + " newest, and what was before that is deleted in time. Default: jobs/NAME/checkpoints"
              + " in $FLOWSTONE_STATE, by default $XDG_STATE_HOME/flowstone or ~/.local/state/flowstone.")
  Optional<Path> checkpoints = Optional.empty();

  @Option(
      names = "--anew",
      description =
          "Begins without the checkpoints that there are: with the oldest packets that the rings"
              + " still have, delivered before or not. They are put aside, not deleted.")
  boolean anew;

  @Option(
      names = "--web-port",
      paramLabel = "PORT",
      defaultValue = "8081",
      description =
          "Port of Flink's web UI on localhost; 0: any free one. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "0", to = "" + LocalPort.MOST)
  int webPort = 8081;
}
