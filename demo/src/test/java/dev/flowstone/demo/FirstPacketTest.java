// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FirstPacketTest {
  private static final long START_NS = -7;

  private final FirstPacket first = new FirstPacket(START_NS);

  @Test
  void shouldSayOnceThatNoneCame() {
    long lateNs = START_NS + TimeUnit.SECONDS.toNanos(5);
    assertThat(first.words(lateNs - 1)).isEmpty();
    assertThat(first.words(lateNs)).contains("no packet yet; waiting for the first");
    assertThat(first.words(lateNs + 1)).isEmpty();
  }
}
