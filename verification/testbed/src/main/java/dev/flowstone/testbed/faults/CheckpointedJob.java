// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.faults;

import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.LocalJob;
import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.jobs.platform.PlatformOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The platform job in a process that may be killed: keeps its checkpoints, and begins with one when
 * told so. Ends with the rings; nothing is restarted inside, so a failure is an exit status.
 */
public final class CheckpointedJob {
  private static final Duration CHECKPOINT_INTERVAL = Duration.ofMillis(500);
  private static final int NETWORK_MEBIBYTES = 64;
  private static final int MANAGED_MEBIBYTES = 32;
  private static final int KEPT_CHECKPOINTS = 3;

  @Mixin private PlatformOptions platform;

  @Option(names = "--checkpoints", required = true)
  private Path checkpoints;

  @Option(names = "--recover-from")
  private Optional<Path> recoverFrom = Optional.empty();

  @Option(names = "--parallelism", defaultValue = "2")
  private int parallelism;

  private Configuration configuration() {
    Configuration configuration = new Configuration();
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, CHECKPOINT_INTERVAL);
    configuration.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.toUri().toString());
    configuration.set(CheckpointingOptions.MAX_RETAINED_CHECKPOINTS, KEPT_CHECKPOINTS);
    configuration.set(
        CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
        ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    recoverFrom.ifPresent(
        checkpoint ->
            configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, checkpoint.toUri().toString()));
    return configuration;
  }

  private void run() throws Exception {
    ClusterSize size = new ClusterSize(parallelism, NETWORK_MEBIBYTES, MANAGED_MEBIBYTES);
    try (LocalCluster cluster = LocalCluster.start(size, configuration())) {
      LocalJob job =
          cluster.submit(parallelism, environment -> PlatformJob.build(environment, platform));
      job.result().get();
    }
  }

  public static void main(String[] arguments) throws Exception {
    CheckpointedJob job = new CheckpointedJob();
    new CommandLine(job).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
    job.run();
    // Client threads of the connector may linger; the job itself has ended well.
    System.exit(0);
  }
}
