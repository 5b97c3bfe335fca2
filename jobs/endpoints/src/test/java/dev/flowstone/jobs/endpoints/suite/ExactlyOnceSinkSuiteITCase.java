// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.suite;

import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.core.execution.CheckpointingMode;

class ExactlyOnceSinkSuiteITCase extends KafkaSinkSuite {
  ExactlyOnceSinkSuiteITCase() {
    super(CheckpointingMode.EXACTLY_ONCE, DeliveryGuarantee.EXACTLY_ONCE);
  }
}
