// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class IdleWaitTest {
  private static final long SHORTEST_NS = TimeUnit.MICROSECONDS.toNanos(100);
  private static final long LONGEST_NS = TimeUnit.MILLISECONDS.toNanos(2);

  private final IdleWait wait = new IdleWait(ReaderClock.HOST.timer());

  @Test
  @Timeout(10)
  void shouldWakeByItself() throws Exception {
    wait.idle();

    wait.future().get();
  }

  @Test
  void shouldLookSeldomWhileThereIsNothing() {
    for (int i = 0; i < 10; i++) {
      wait.idle();
    }

    assertThat(wait.delayNs()).isEqualTo(LONGEST_NS);
  }

  @Test
  void shouldLookOftenWhileThereIsMuch() {
    wait.idle();
    for (int i = 0; i < 10; i++) {
      wait.busy();
    }

    assertThat(wait.delayNs()).isEqualTo(SHORTEST_NS);
  }

  @Test
  void shouldSoonLookAboutAsOftenAsThereIsSomething() {
    long gatheredNs = 10 * SHORTEST_NS;
    int rounds = 100;
    int looks = 0;
    for (int round = 0; round < rounds; round++) {
      for (long waitedNs = 0; waitedNs < gatheredNs; looks++) {
        waitedNs += wait.delayNs();
        wait.idle();
      }
      wait.busy();
    }

    assertThat(looks).isBetween(rounds, 2 * rounds);
  }

  @Test
  void shouldLookAtOnceWhenSomethingChanged() {
    wait.idle();
    wait.idle();
    wait.wakeUp();

    assertThat(wait.future()).isDone();
    assertThat(wait.delayNs()).isEqualTo(SHORTEST_NS);
  }
}
