// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.monitoring.page.PageServer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DemoPageTest {
  /** At the usual port, at any where that is taken, and at one that was asked for. */
  @Test
  void shouldBeSeenByThisMachineAlone() throws Exception {
    try (PageServer usual = DemoPage.bind(Optional.empty());
        PageServer other = DemoPage.bind(Optional.empty());
        PageServer asked = DemoPage.bind(Optional.of(0))) {
      requireLocal(usual);
      requireLocal(other);
      requireLocal(asked);
    }
  }

  /** 127.0.0.2 is an address of this machine, too, and none of localhost's. */
  private static void requireLocal(PageServer page) throws IOException {
    int port = URI.create(page.url()).getPort();
    new Socket(InetAddress.getLoopbackAddress(), port).close();
    assertThatThrownBy(() -> new Socket(InetAddress.ofLiteral("127.0.0.2"), port).close())
        .as(page.url())
        .isInstanceOf(ConnectException.class);
  }
}
