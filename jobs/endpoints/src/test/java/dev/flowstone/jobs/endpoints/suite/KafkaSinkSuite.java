// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.suite;

import dev.flowstone.broker.process.SharedBroker;
import dev.flowstone.harness.KafkaTopic;
import java.io.IOException;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.testframe.environment.MiniClusterTestEnvironment;
import org.apache.flink.connector.testframe.external.ExternalContextFactory;
import org.apache.flink.connector.testframe.junit.annotations.TestContext;
import org.apache.flink.connector.testframe.junit.annotations.TestEnv;
import org.apache.flink.connector.testframe.junit.annotations.TestSemantics;
import org.apache.flink.connector.testframe.testsuites.SinkTestSuiteBase;
import org.apache.flink.core.execution.CheckpointingMode;
import org.junit.jupiter.api.Timeout;

/** Flink's suite for sinks on packets in Kafka, as a plain consumer reads them. */
@Timeout(120)
abstract class KafkaSinkSuite extends SinkTestSuiteBase<String> {
  @TestSemantics final CheckpointingMode[] semantics;

  @TestEnv final MiniClusterTestEnvironment environment = new MiniClusterTestEnvironment();

  @TestContext final ExternalContextFactory<PacketTopic> context = _ -> newTopic();

  private final DeliveryGuarantee delivery;
  private int topics;

  KafkaSinkSuite(CheckpointingMode semantics, DeliveryGuarantee delivery) {
    this.semantics = new CheckpointingMode[] {semantics};
    this.delivery = delivery;
  }

  private PacketTopic newTopic() {
    try {
      String name = getClass().getSimpleName() + "-" + topics++;
      return new PacketTopic(new KafkaTopic(SharedBroker.bootstrapServers(), name), delivery);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
