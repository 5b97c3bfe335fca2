// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness.failure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.LocalJob;
import dev.flowstone.harness.failure.FailureInjection.Place;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class FailureInjectionITCase {
  @TempDir private Path folder;

  @Test
  void shouldFailAJobInEachPlaceAndSeeItRecover() throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(20));
    configuration.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, folder.toUri().toString());
    FailureInjection.allowRestarts(configuration, Duration.ofMillis(10));
    try (FailureInjection failures = new FailureInjection();
        LocalCluster cluster = LocalCluster.start(new ClusterSize(1, 8, 1), configuration)) {
      LocalJob job = cluster.submit(1, environment -> build(environment, failures));
      for (Place place : Place.values()) {
        failures.failOnce(place);
        assertThat(job.latestFailure().orElseThrow())
            .hasStackTraceContaining("injected failure")
            .hasStackTraceContaining("in " + place);
      }
      assertThat(job.isRunning()).isTrue();
      assertThat(job.checkpoints().getCounts().getNumberOfRestoredCheckpoints())
          .isGreaterThanOrEqualTo(Place.values().length);
    }
  }

  private static void build(StreamExecutionEnvironment environment, FailureInjection failures) {
    failures
        .in(
            environment
                .fromSequence(0, Long.MAX_VALUE)
                .map(
                    number -> {
                      Thread.sleep(1);
                      return number;
                    })
                .returns(Types.LONG))
        .sinkTo(new DiscardingSink<>());
  }
}
