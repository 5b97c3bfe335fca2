// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class RateWatchTest {
  private static final long SECOND_NS = 1_000_000_000;

  private final AtomicLong packets = new AtomicLong();
  private final AtomicLong clockNs = new AtomicLong();
  private final List<Double> rates = new CopyOnWriteArrayList<>();

  /** Warns of the third rate. */
  private Optional<String> warning(OptionalDouble rate) {
    rates.add(rate.getAsDouble());
    return rates.size() == 3 ? Optional.of("too much") : Optional.empty();
  }

  @Test
  @Timeout(value = 30, unit = TimeUnit.SECONDS)
  void shouldWarnOnceOfARateThatIsTooHigh() throws InterruptedException {
    PrintStream usual = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try (RateWatch _ =
        RateWatch.start(
            () -> packets.addAndGet(1_000),
            this::warning,
            Duration.ofMillis(1),
            () -> clockNs.addAndGet(2 * SECOND_NS))) {
      while (said.size() == 0) {
        Thread.sleep(1);
      }
    } finally {
      System.setErr(usual);
    }
    assertThat(said.toString(StandardCharsets.UTF_8))
        .isEqualToIgnoringNewLines("warning: too much");
    assertThat(rates).containsExactly(500.0, 500.0, 500.0);
  }
}
