// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RefreshedTest {
  private static final Duration LONG = Duration.ofHours(1);
  private final AtomicInteger looks = new AtomicInteger();

  @Test
  void shouldLookOnceHoweverManyAsk() {
    Refreshed<Integer> refreshed = new Refreshed<>(LONG, "silent", looks::incrementAndGet);
    for (int i = 0; i < 100; i++) {
      refreshed.prompt();
      assertThat(refreshed.latest().value()).contains(1);
    }
  }

  @Test
  void shouldNotLookUnlessSomebodyAsks() throws Exception {
    Refreshed<Integer> refreshed =
        new Refreshed<>(Duration.ofMillis(1), "silent", looks::incrementAndGet);
    refreshed.latest();
    Thread.sleep(50);
    assertThat(looks).hasValue(1);
    assertThat(refreshed.latest().value()).contains(2);
  }

  @Test
  void shouldKeepWhatWasSeenAndSayWhyThereIsNothingNewer() throws Exception {
    long beginMs = System.currentTimeMillis();
    Refreshed<Integer> refreshed =
        new Refreshed<>(
            Duration.ZERO,
            "silent",
            () -> {
              if (looks.incrementAndGet() > 1) {
                throw new IOException("gone");
              }
              return 1;
            });
    assertThat(refreshed.latest().problem()).isEmpty();
    Refreshed.Answer<Integer> first = refreshed.latest();
    assertThat(first.value()).contains(1);
    assertThat(first.problem()).contains("gone");
    assertThat(first.problemSinceMs()).isBetween(beginMs, System.currentTimeMillis());
    Thread.sleep(5);
    assertThat(refreshed.latest().problemSinceMs()).isEqualTo(first.problemSinceMs());
  }

  /** Such as reading a mapped file that is cut short. */
  @Test
  void shouldLookAgainAfterAnError() {
    Refreshed<Integer> refreshed =
        new Refreshed<>(
            Duration.ZERO,
            "silent",
            () -> {
              if (looks.incrementAndGet() == 1) {
                throw new InternalError("memory is gone");
              }
              return 1;
            });
    assertThat(refreshed.latest().problem()).contains("java.lang.InternalError: memory is gone");
    assertThat(refreshed.latest().value()).contains(1);
  }

  @Test
  void shouldKeepNobodyWaitingForWhatHangs() {
    CountDownLatch never = new CountDownLatch(1);
    Refreshed<Integer> refreshed =
        new Refreshed<>(
            Duration.ZERO,
            "silent",
            () -> {
              never.await();
              return 1;
            });
    long beganNs = System.nanoTime();
    for (int i = 0; i < 20; i++) {
      assertThat(refreshed.latest().value()).isEmpty();
    }
    assertThat(Duration.ofNanos(System.nanoTime() - beganNs)).isLessThan(Duration.ofSeconds(10));
    never.countDown();
  }
}
