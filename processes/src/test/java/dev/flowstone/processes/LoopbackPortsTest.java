// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LoopbackPortsTest {
  /** Between the choice and the server's own bind there are seconds. */
  @Test
  void shouldGiveAPortToOneServerAloneBeforeItIsBound() throws Exception {
    int port = LoopbackPorts.claimFree();
    assertThat(LoopbackPorts.isFree(port)).as("not bound yet").isTrue();
    assertThat(LoopbackPorts.claim(port)).isFalse();
  }
}
