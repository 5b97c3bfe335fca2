// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.deployment.ExecutionOptions;
import dev.flowstone.deployment.LocalPort;
import dev.flowstone.deployment.MetricsOption;
import dev.flowstone.deployment.checkpoints.CheckpointOptions;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What can be told of a run in this process, whatever the job. */
final class EmbeddedRunOptions {
  @Mixin ExecutionOptions execution = new ExecutionOptions();

  @Mixin MetricsOption metrics = new MetricsOption();

  @Mixin CheckpointOptions checkpoints = new CheckpointOptions();

  @Option(
      names = "--web-port",
      paramLabel = "PORT",
      defaultValue = "8081",
      description =
          "Port of Flink's web UI on localhost; 0: any free one. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "0", to = "" + LocalPort.MOST)
  int webPort = 8081;
}
