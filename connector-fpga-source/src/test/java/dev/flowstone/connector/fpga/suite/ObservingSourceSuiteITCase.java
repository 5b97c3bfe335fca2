// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.suite;

import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.connector.fpga.ReleaseMode;
import org.apache.flink.core.execution.CheckpointingMode;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class ObservingSourceSuiteITCase extends RingSourceSuite {
  ObservingSourceSuiteITCase() {
    super(CheckpointingMode.EXACTLY_ONCE, CheckpointingMode.AT_LEAST_ONCE);
  }

  @Override
  FpgaSourceBuilder options(FpgaSourceBuilder source) {
    return source.blockRecords(1).release(ReleaseMode.OBSERVING);
  }
}
