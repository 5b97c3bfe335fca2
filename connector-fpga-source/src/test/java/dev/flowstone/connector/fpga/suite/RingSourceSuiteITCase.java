// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.suite;

import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import org.apache.flink.core.execution.CheckpointingMode;

/** Blocks of one packet: the suite's count of records is then the source's count of blocks. */
class RingSourceSuiteITCase extends RingSourceSuite {
  RingSourceSuiteITCase() {
    super(CheckpointingMode.EXACTLY_ONCE);
  }

  @Override
  FpgaSourceBuilder options(FpgaSourceBuilder source) {
    return source.blockRecords(1);
  }
}
