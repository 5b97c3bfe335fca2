// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.connector.fpga.rings.HostName;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.junit.jupiter.api.Test;

class KafkaOptionsTest {
  private final KafkaOptions options = new KafkaOptions();

  /** Two hosts of a site that run the same command must not fence each other. */
  @Test
  void namesTransactionsAfterJobAndHost() {
    assertThat(options.transactionPrefix("platform")).isEqualTo("platform-" + HostName.local());
  }

  @Test
  void requiresNoHostNameWithoutTransactions() {
    options.delivery = DeliveryGuarantee.AT_LEAST_ONCE;
    assertThat(options.transactionPrefix("platform")).isEqualTo("platform");
  }

  @Test
  void usesTheGivenPrefixAsItIs() {
    options.transactionPrefix = "site-7";
    assertThat(options.transactionPrefix("platform")).isEqualTo("site-7");
  }
}
