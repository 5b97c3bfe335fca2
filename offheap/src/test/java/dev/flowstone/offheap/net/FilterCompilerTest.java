// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Programs that libpcap makes here, beside those that tcpdump prints; skips without them. */
class FilterCompilerTest {
  private static FilterCompiler compiler() {
    Optional<FilterCompiler> found = FilterCompiler.find();
    assumeTrue(found.isPresent(), "SKIPPED: no libpcap; apt-get install libpcap0.8");
    return found.get();
  }

  @ParameterizedTest
  @CsvSource({
    "tcp port 443, 1, EN10MB",
    "udp and not port 53, 1, EN10MB",
    "ip6 net 2001:db8::/32 and tcp dst port 80, 1, EN10MB",
    "tcp port 443, 12, RAW"
  })
  void shouldMakeTheProgramThatTcpdumpMakes(String expression, int linkType, String linkName)
      throws IOException, InterruptedException {
    FilterCompiler compiler = compiler();
    assertThat(compiler.compile(expression, linkType))
        .isEqualTo(PacketFilter.parse(tcpdump(linkName, expression)));
  }

  private static List<String> tcpdump(String linkName, String expression)
      throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder("tcpdump", "-y", linkName, "-ddd", expression)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      List<String> lines = process.inputReader().lines().toList();
      assertThat(process.waitFor()).isZero();
      return lines;
    } catch (IOException notThere) {
      assumeTrue(false, "SKIPPED: no tcpdump; apt-get install tcpdump");
      return List.of();
    }
  }

  @Test
  void shouldSayWhatLibpcapSays() {
    FilterCompiler compiler = compiler();
    assertThatThrownBy(() -> compiler.compile("tcp prot 443", 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("syntax error");
    assertThatThrownBy(() -> compiler.compile("ether host 02:00:00:00:00:01", 12))
        .as("frames of this link type have no such address")
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("802.11");
  }
}
