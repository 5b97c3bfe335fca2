// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.flink;

import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.testbed.rings.EmulatedCardsTap;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The platform's job in this process, which brings packets of rings to a topic, exactly once. */
public final class PacketsJob {
  public static final int PARALLELISM = EmulatedCardsTap.RINGS;

  private static final int KEY_GROUPS = 128;
  private static final Duration CHECKPOINT_INTERVAL = Duration.ofMillis(500);

  private PacketsJob() {}

  public static PlatformOptions options(KafkaTopic topic, List<Path> rings) {
    PlatformOptions options = new PlatformOptions();
    options.rings.folders = rings;
    options.topic = topic.name();
    options.kafka.bootstrapServers = topic.bootstrapServers();
    options.kafka.transactionPrefix = topic.name();
    return options;
  }

  /** Reads rings to their ends. */
  public static StreamExecutionEnvironment bounded(KafkaTopic topic, List<Path> rings) {
    PlatformOptions options = options(topic, rings);
    options.rings.bounded = true;
    return of(options, new Configuration());
  }

  public static StreamExecutionEnvironment of(
      PlatformOptions options, Configuration configuration) {
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, CHECKPOINT_INTERVAL);
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(PARALLELISM, configuration);
    environment.setMaxParallelism(KEY_GROUPS);
    PlatformJob.build(environment, options);
    return environment;
  }
}
