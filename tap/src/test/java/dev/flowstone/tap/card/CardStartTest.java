// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** XRT answers a start before the kernel runs, which a card does some time later. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CardStartTest {
  @TempDir Path folder;

  private EmulatedTap card(String late) throws IOException, InterruptedException {
    return new EmulatedTap(
        folder, "model", "--feed", "generator", "--pace", "wait", "--fault", "late-start:" + late);
  }

  /** Until a kernel runs, its heads and counters are those of the former run. */
  @Test
  void shouldWaitUntilTheKernelsRun() throws Exception {
    try (EmulatedTap card = card("every=1,delay-us=50000")) {
      card.start().awaitPackets(20_000);
      card.stop();
      card.start().awaitPackets(20_000);
      CardCounters counters = card.stop();
      EmulatedTap.await(() -> card.stateNumber("fault.late-start") == 6);
      assertThat(counters.lostPackets()).isZero();
      assertThat(counters.pumps()).allMatch(pump -> pump.repeatedFetches() == 0);
      EmulatedTap.await(() -> card.toldPackets() == card.stateNumber("port-0.packets"));
    }
  }

  /** Rings start first, then ports. */
  @ParameterizedTest
  @CsvSource({"0, ht_ring:{ht_ring_0}", "1, ht_tap:{ht_tap_0}", "2, ht_tap:{ht_tap_1}"})
  void shouldReportAKernelThatDoesNotRun(int startsBefore, String kernel) throws Exception {
    try (EmulatedTap card = card("after=" + startsBefore + ",delay-us=60000000")) {
      card.start().awaitFault("late-start");
      card.tap.limit(CardLimits.DEFAULT.withStart(Duration.ZERO).withStop(Duration.ofMillis(10)));
      assertThat(card.failure())
          .isInstanceOf(CardException.class)
          .hasMessageContaining(kernel + ": it was started and does not run");
      assertThat(card.areFilesEnded()).isTrue();
    }
  }
}
