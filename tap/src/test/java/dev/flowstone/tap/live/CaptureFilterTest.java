// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flowstone.offheap.net.FilterCompiler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CaptureFilterTest {
  @TempDir Path folder;

  private static void requireLibpcap() {
    assumeTrue(
        FilterCompiler.find().isPresent(), "SKIPPED: no libpcap; apt-get install libpcap0.8");
  }

  @Test
  void shouldSayWhatLibpcapDoesNotUnderstandBeforeThereIsAnInterface() {
    requireLibpcap();
    assertThatThrownBy(() -> CaptureFilter.of("tcp prot 443"))
        .hasMessageStartingWith("--filter 'tcp prot 443': ")
        .hasMessageContaining("syntax error")
        .hasMessageContaining("man pcap-filter");
  }

  @Test
  void shouldMakeAProgramForEachKindOfFrame() {
    requireLibpcap();
    CaptureFilter filter = CaptureFilter.of("udp");
    assertThat(filter.program(LinkType.ETHERNET)).isNotEqualTo(filter.program(LinkType.RAW_IP));
  }

  /** Without the interface libpcap would look for tags where there are none any more. */
  @ParameterizedTest
  @ValueSource(strings = {"vlan", "vlan 5 and tcp", "not(vlan 7)"})
  void shouldSayHowToFilterByTag(String words) {
    assertThatThrownBy(() -> CaptureFilter.of(words))
        .hasMessageContaining("tcpdump -i IFACE -ddd '" + words + "' > FILE")
        .hasMessageContaining("--filter-program FILE");
  }

  @Test
  void shouldSayWhatIsWrongWithAProgram() throws IOException {
    Path file = folder.resolve("program");
    assertThatThrownBy(() -> CaptureFilter.of(file))
        .hasMessage("--filter-program " + file + ": no such file or folder");
    Files.writeString(file, "2\n6 0 0 0\n");
    assertThatThrownBy(() -> CaptureFilter.of(file))
        .hasMessageStartingWith("--filter-program " + file + ": 1 instructions where")
        .hasMessageContaining("tcpdump -i IFACE -ddd");
  }

  @Test
  void shouldNotShareAnInterfaceThatIsWaitedFor() {
    LiveOptions options = LiveOptions.of("lo").withWaitForInterface(true);
    assertThatThrownBy(
            () -> LiveSource.openShared(options.withBuffer(2, Duration.ofMillis(9)), 2, _ -> {}))
        .hasMessageContaining("--threads and --wait-for-interface exclude each other");
  }
}
