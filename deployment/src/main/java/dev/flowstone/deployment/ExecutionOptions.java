// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.commandline.DurationConverter;
import dev.flowstone.commandline.DurationText;
import java.time.Duration;
import java.util.Optional;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import picocli.CommandLine.Option;

/** What can be told of how Flink runs a job, wherever it does. */
public final class ExecutionOptions {
  /** Flink's own bound. */
  private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(10);

  @Option(
      names = "--parallelism",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Subtasks, no more than there are rings, and slots in a cluster. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "1")
  private int parallelism = 1;

  @Option(
      names = "--checkpoint-interval",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "Time between two checkpoints. Shorter: sooner visible to read_committed consumers, and less"
              + " is held in the rings; longer: fewer and larger messages. Default: as"
              + " flink-conf/config.yaml says, 2 s.")
  private Optional<Duration> checkpointInterval = Optional.empty();

  public int parallelism() {
    return parallelism;
  }

  /**
   * Puts what was told in the place of what the configuration says.
   *
   * @throws IllegalArgumentException if Flink would not take it
   */
  public void putInto(Configuration configuration) {
    checkpointInterval.ifPresent(
        interval -> {
          if (interval.compareTo(SHORTEST_INTERVAL) < 0) {
            throw new IllegalArgumentException(
                "--checkpoint-interval must be %s or more: %s"
                    .formatted(DurationText.of(SHORTEST_INTERVAL), DurationText.of(interval)));
          }
          configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, interval);
        });
  }
}
