// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.suite;

import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import java.time.Duration;
import org.apache.flink.connector.testframe.environment.MiniClusterTestEnvironment;
import org.apache.flink.connector.testframe.external.ExternalContextFactory;
import org.apache.flink.connector.testframe.junit.annotations.TestContext;
import org.apache.flink.connector.testframe.junit.annotations.TestEnv;
import org.apache.flink.connector.testframe.junit.annotations.TestSemantics;
import org.apache.flink.connector.testframe.testsuites.SourceTestSuiteBase;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Timeout;

/**
 * Flink's suite for sources on rings of a real tap, with the blocks that users get. The time limit
 * also ends {@code testSourceMetrics}, which otherwise waits until the counter of records is right.
 */
@Timeout(60)
abstract class RingSourceSuite extends SourceTestSuiteBase<String> {
  @TestSemantics final CheckpointingMode[] semantics;

  @TestEnv final MiniClusterTestEnvironment environment = new MiniClusterTestEnvironment();

  @TestContext final ExternalContextFactory<RingSource> context = _ -> newRings();

  private RingSource rings;

  RingSourceSuite(CheckpointingMode... semantics) {
    this.semantics = semantics;
  }

  abstract FpgaSourceBuilder options(FpgaSourceBuilder source);

  private RingSource newRings() {
    rings = new RingSource(source -> options(source).discoveryInterval(Duration.ofMillis(100)));
    return rings;
  }

  @Override
  protected JobClient submitJob(StreamExecutionEnvironment environment, String name)
      throws Exception {
    rings.endIfBounded();
    return super.submitJob(environment, name);
  }
}
