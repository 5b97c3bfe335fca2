// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TrafficOptionsTest {
  private final TrafficOptions traffic = new TrafficOptions();

  @Test
  void shouldNotSendANamesControlCharactersToTheTerminal() {
    traffic.pcap = Optional.of(Path.of("/tmp/a\u001bc.pcap"));
    assertThat(traffic.describe()).isEqualTo("replay of a\\u001bc.pcap");
    traffic.live = Optional.of("eth\u001b0");
    assertThat(traffic.describe()).isEqualTo("live capture on eth\\u001b0");
  }
}
