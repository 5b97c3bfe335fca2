// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class DemoFlinkTest {
  @TempDir private Path folder;

  /** It was free when the options were looked at: another demo has begun in the same second. */
  @Test
  void shouldNameTheOptionWhenItsPortIsTakenMeanwhile() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = other.getLocalPort();
      assertThatThrownBy(() -> DemoFlink.start(port, 1, folder, () -> true))
          .isInstanceOf(PortTakenException.class)
          .hasMessageContaining("port " + port + " is taken")
          .hasMessageContaining("--web-port");
    }
  }
}
