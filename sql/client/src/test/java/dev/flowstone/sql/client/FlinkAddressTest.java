// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlinkAddressTest {
  @Test
  void shouldKnowHostAndPort() {
    assertThat(FlinkAddress.of("http://[::1]:8081/#/overview"))
        .isEqualTo(new FlinkAddress("[::1]", 8081));
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost:8081", "http://localhost", "8081", "", "not an address"})
  void shouldSayHowAnAddressIsWritten(String text) {
    assertThatThrownBy(() -> FlinkAddress.of(text))
        .hasMessage("--flink must be http://HOST:PORT, not " + text);
  }

  @Test
  void shouldSayThatNobodyAnswers() throws IOException {
    FlinkAddress address;
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      address = new FlinkAddress("localhost", server.getLocalPort());
      assertThatCode(address::requireAnswer).doesNotThrowAnyException();
    }
    assertThatThrownBy(address::requireAnswer)
        .hasMessageContaining("no Flink answers at http://localhost:" + address.port())
        .hasMessageContaining("./flowstone cluster start");
  }
}
