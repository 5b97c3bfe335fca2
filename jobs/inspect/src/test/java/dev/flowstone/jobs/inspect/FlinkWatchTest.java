// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.jobs.inspect.count.InspectException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class FlinkWatchTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @Test
  void shouldEndTheWaitForAFlinkThatHangs() {
    CountDownLatch waiting = new CountDownLatch(1);
    try (FlinkWatch watch =
        FlinkWatch.start(
            () -> {
              waiting.await();
              return false;
            })) {
      CompletableFuture<String> answer = watch.over(new CompletableFuture<>());
      waiting.countDown();
      assertThat(answer)
          .failsWithin(LIMIT)
          .withThrowableThat()
          .havingRootCause()
          .isInstanceOf(InspectException.class)
          .withMessageContaining("ran out of memory")
          .withMessageContaining("-Xmx");
    }
  }

  @Test
  void shouldHandOnWhatFlinkSays() {
    try (FlinkWatch watch = FlinkWatch.start(() -> true)) {
      CompletableFuture<String> told = new CompletableFuture<>();
      CompletableFuture<String> answer = watch.over(told);
      assertThat(answer).isNotDone();
      told.complete("found");
      assertThat(answer).isCompletedWithValue("found");
    }
  }
}
