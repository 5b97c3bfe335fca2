// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.deployment.LocalPort;
import dev.flowstone.jobs.entry.DurationConverter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What can be told of a run in this process, whatever the job. */
final class RunOptions {
  @Option(
      names = "--checkpoints",
      paramLabel = "DIR",
      description =
          "Folder of this job's checkpoints, and of no other's. The next start goes on from the"
              + " newest, and what was before that is deleted in time. Default: jobs/NAME/checkpoints in ~/.local/state/flowstone.")
  Optional<Path> checkpoints = Optional.empty();

  @Option(
      names = "--checkpoint-interval",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "How often. Sooner visible to read_committed consumers and less held in the rings, against"
              + " fewer and smaller messages. Default: as flink-conf/config.yaml says, 2 s.")
  Optional<Duration> checkpointInterval = Optional.empty();

  @Option(
      names = "--anew",
      description =
          "Begins without the checkpoints that there are: with the oldest packets that the rings"
              + " still have, delivered before or not. They are put aside, not deleted.")
  boolean anew;

  @Option(
      names = "--parallelism",
      paramLabel = "N",
      defaultValue = "1",
      description = "Subtasks, no more than there are rings. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "1")
  int parallelism = 1;

  @Option(
      names = "--web-port",
      paramLabel = "PORT",
      defaultValue = "8081",
      description =
          "Port of Flink's web UI on localhost; 0: any free one. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "0", to = "" + LocalPort.MOST)
  int webPort = 8081;
}
