// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** XRT answers a start before the kernel has begun, on a card some time before. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CardStartTest {
  private static final long PACKETS = 200_000;

  @TempDir Path folder;

  private EmulatedTap card(String late) throws IOException, InterruptedException {
    String feed = "generator:packets=" + PACKETS;
    return new EmulatedTap(
        folder, "model", "--feed", feed, "--pace", "200000", "--fault", "late-start:" + late);
  }

  /** Until they do, heads and counters are those of the run before. */
  @Test
  void shouldWaitUntilKernelsHaveBegun() throws Exception {
    try (EmulatedTap card = card("every=1,delay-us=50000")) {
      card.start();
      EmulatedTap.await(() -> card.tap != null && card.tap.counters().packets() > 20_000);
      card.stop();
      CardCounters counters = card.start().finish();
      assertThat(card.stateNumber("fault.late-start")).isEqualTo(6);
      assertThat(counters.lostPackets()).isZero();
      assertThat(counters.pumps()).allMatch(pump -> pump.repeatedFetches() == 0);
      assertThat(card.toldPackets()).isEqualTo(PACKETS);
    }
  }

  /** Rings are started first, then ports. */
  @ParameterizedTest
  @CsvSource({"0, ht_ring:{ht_ring_0}", "1, ht_tap:{ht_tap_0}", "2, ht_tap:{ht_tap_1}"})
  void shouldReportAKernelThatDoesNotBegin(int startsBefore, String kernel) throws Exception {
    try (EmulatedTap card = card("after=" + startsBefore + ",delay-us=60000000")) {
      assertThat(card.start().failure())
          .isInstanceOf(CardException.class)
          .hasMessageContaining(kernel + ": it was started and does not run");
      assertThat(card.areFilesEnded()).isTrue();
    }
  }
}
