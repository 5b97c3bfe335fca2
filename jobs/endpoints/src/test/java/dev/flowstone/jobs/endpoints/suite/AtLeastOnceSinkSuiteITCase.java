// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.suite;

import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.core.execution.CheckpointingMode;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class AtLeastOnceSinkSuiteITCase extends KafkaSinkSuite {
  AtLeastOnceSinkSuiteITCase() {
    super(CheckpointingMode.AT_LEAST_ONCE, DeliveryGuarantee.AT_LEAST_ONCE);
  }
}
