// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.connector.fpga.FlowExchangeITCase.Checked;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Flink's adaptive scheduler gives a job fewer subtasks than it asked for. */
@Timeout(60)
class AdaptiveSchedulerITCase {
  private static final int SLOTS = 2;
  private static final int RINGS = 3;
  private static final int PACKETS = 20_000;
  private static final Configuration ADAPTIVE = new Configuration();

  static {
    ADAPTIVE.set(JobManagerOptions.SCHEDULER, JobManagerOptions.SchedulerType.Adaptive);
    ADAPTIVE.set(
        JobManagerOptions.SCHEDULER_SUBMISSION_RESOURCE_STABILIZATION_TIMEOUT, Duration.ZERO);
    ADAPTIVE.set(PipelineOptions.MAX_PARALLELISM, TestTap.KEY_GROUPS);
  }

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setConfiguration(ADAPTIVE)
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(SLOTS)
              .build());

  /** Three subtasks would each have a ring of their own flows. */
  @Test
  void shouldBringEachFlowToItsSubtaskWithoutSlotsForAll(@TempDir Path rings) throws Exception {
    Checked.reset();
    try (TestTap tap = new TestTap(rings, RINGS, 14)) {
      tap.write(PACKETS);
      tap.end();
      StreamExecutionEnvironment environment =
          StreamExecutionEnvironment.getExecutionEnvironment(ADAPTIVE);
      environment.setParallelism(RINGS);
      FlowExchange.AUTO
          .blocksByFlow(environment, FpgaSource.builder().ringDirectory(rings).bounded(), "rings")
          .map(new Checked())
          .sinkTo(new DiscardingSink<>());
      environment.execute("adaptive");
    }
    assertThat(Checked.PACKETS.sum()).isEqualTo(PACKETS);
    assertThat(Checked.STRAYS.sum()).isZero();
    assertThat(Checked.OPENED.sum()).isEqualTo(SLOTS);
  }
}
