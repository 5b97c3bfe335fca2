// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RefreshedTest {
  private static final Duration INTERVAL = Duration.ofMinutes(1);
  private static final String SILENCE = "no answer";

  private final AtomicInteger looks = new AtomicInteger();
  private long nowNs;

  private Refreshed<Integer> refreshed(Callable<Integer> look) {
    return refreshed(look, Runnable::run);
  }

  private Refreshed<Integer> refreshed(Callable<Integer> look, Executor executor) {
    return new Refreshed<>(INTERVAL, SILENCE, look, executor, () -> nowNs);
  }

  @Test
  void shouldLookOnceInAnIntervalHoweverManyAsk() {
    Refreshed<Integer> refreshed = refreshed(looks::incrementAndGet);
    for (int i = 0; i < 100; i++) {
      refreshed.prompt();
      assertThat(refreshed.latest().value()).contains(1);
    }
    nowNs += INTERVAL.toNanos();
    assertThat(refreshed.latest().value()).contains(2);
  }

  @Test
  void shouldNotLookUnlessAsked() {
    Refreshed<Integer> refreshed = refreshed(looks::incrementAndGet);
    nowNs += 10 * INTERVAL.toNanos();
    assertThat(looks).hasValue(0);
    assertThat(refreshed.latest().value()).contains(1);
  }

  @Test
  void shouldKeepTheLatestValueAndSayWhyThereIsNoneNewer() throws Exception {
    long beginMs = System.currentTimeMillis();
    Refreshed<Integer> refreshed =
        refreshed(
            () -> {
              if (looks.incrementAndGet() > 1) {
                throw new IOException("gone");
              }
              return 1;
            });
    assertThat(refreshed.latest().problem()).isEmpty();
    nowNs += INTERVAL.toNanos();
    Refreshed.Answer<Integer> first = refreshed.latest();
    assertThat(first.value()).contains(1);
    assertThat(first.problem()).contains("gone");
    assertThat(first.problemSinceMs()).isBetween(beginMs, System.currentTimeMillis());
    Thread.sleep(5);
    nowNs += INTERVAL.toNanos();
    assertThat(refreshed.latest().problemSinceMs()).isEqualTo(first.problemSinceMs());
    assertThat(looks).hasValue(3);
  }

  /** Such as the error of a mapped file that is cut short. */
  @Test
  void shouldLookAgainAfterAnError() {
    Refreshed<Integer> refreshed =
        refreshed(
            () -> {
              if (looks.incrementAndGet() == 1) {
                throw new InternalError("memory is gone");
              }
              return 1;
            });
    assertThat(refreshed.latest().problem()).contains("java.lang.InternalError: memory is gone");
    nowNs += INTERVAL.toNanos();
    assertThat(refreshed.latest().value()).contains(1);
  }

  @Test
  void shouldReportSilenceOfALookThatHangs() {
    List<Runnable> hanging = new ArrayList<>();
    Refreshed<Integer> refreshed = refreshed(looks::incrementAndGet, hanging::add);
    refreshed.prompt();
    nowNs += Duration.ofSeconds(8).toNanos();
    assertThat(refreshed.latest().problem()).isEmpty();
    nowNs++;
    assertThat(refreshed.latest().problem()).contains(SILENCE);
    assertThat(hanging).hasSize(1);
    hanging.getFirst().run();
    assertThat(refreshed.latest().problem()).isEmpty();
    assertThat(refreshed.latest().value()).contains(1);
  }

  @Test
  void shouldNotBeginALookWhileOneHangs() {
    List<Runnable> hanging = new ArrayList<>();
    Refreshed<Integer> refreshed = refreshed(looks::incrementAndGet, hanging::add);
    refreshed.prompt();
    nowNs += 2 * INTERVAL.toNanos();
    refreshed.prompt();
    assertThat(hanging).hasSize(1);
  }

  /** With a thread for each look, as the page has. */
  @Test
  void shouldNotBlockOnALookThatHangs() {
    CountDownLatch never = new CountDownLatch(1);
    Refreshed<Integer> refreshed =
        new Refreshed<>(
            INTERVAL,
            SILENCE,
            () -> {
              never.await();
              return 1;
            });
    assertThat(refreshed.latest().value()).isEmpty();
    never.countDown();
  }
}
