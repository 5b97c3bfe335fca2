// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrafficOptionsTest {
  @TempDir private Path folder;

  private final TrafficOptions traffic = new TrafficOptions();

  @Test
  void shouldNotSendANamesControlCharactersToTheTerminal() {
    traffic.pcap = Optional.of(Path.of("/tmp/a\u001bc.pcap"));
    assertThat(traffic.describe()).isEqualTo("replay of a\\u001bc.pcap");
    traffic.live = Optional.of("eth\u001b0");
    assertThat(traffic.describe()).isEqualTo("live capture on eth\\u001b0");
  }

  @Test
  void shouldRefuseBeforeAnythingIsStartedWhatItsTapWouldRefuse() throws Exception {
    traffic.requireSense();
    traffic.rate = Optional.of(0.1);
    assertThatThrownBy(traffic::requireSense).hasMessageContaining("rate must be");
    traffic.rate = Optional.empty();
    traffic.ringBytes = 100L << 40;
    assertThatThrownBy(traffic::requireSense).hasMessageContaining("--ring-bytes must be 256g");
    traffic.ringBytes = 1 << 20;
    Path text = Files.writeString(folder.resolve("text.pcap"), "no capture");
    traffic.pcap = Optional.of(text);
    assertThatThrownBy(traffic::requireSense).hasMessageContaining("text.pcap: offset 0");
    traffic.pcap = Optional.of(folder.resolve("none.pcap"));
    assertThatThrownBy(traffic::requireSense).hasMessageEndingWith("none.pcap: no such file");
    traffic.pcap = Optional.of(folder);
    assertThatThrownBy(traffic::requireSense).hasMessageContaining(": a folder");
    traffic.pcap = Optional.empty();
    traffic.live = Optional.of("nosuch0");
    assertThatThrownBy(traffic::requireSense)
        .hasMessageFindingMatch("no interface nosuch0|CAP_NET_RAW");
  }

  @Test
  void shouldKnowWhatItsRingsTake() {
    traffic.ringBytes = (1 << 20) + 1;
    assertThat(traffic.allRingBytes()).as("rounded up").isEqualTo(2 * ((2 << 20) + (1 << 16)));
  }
}
