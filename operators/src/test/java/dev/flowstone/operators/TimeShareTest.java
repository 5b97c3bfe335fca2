// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TimeShareTest {
  private static final long MS = 1_000_000;

  private long nowNs = 1_000 * MS;
  private final TimeShare share = new TimeShare(nowNs);

  private void take(long ns) {
    share.take(nowNs, nowNs + ns);
    nowNs += ns;
  }

  @Test
  void shouldGiveHalfOfTheTime() {
    long takenNs = 0;
    long beginNs = nowNs;
    while (nowNs < beginNs + 10_000 * MS) {
      if (share.isLeft(nowNs)) {
        take(MS / 10);
        takenNs += MS / 10;
      } else {
        nowNs += MS / 20;
      }
    }
    assertThat(takenNs).isBetween(4_900 * MS, 5_100 * MS);
  }

  @Test
  void shouldLetWhatWasNotTakenBeTakenLater() {
    nowNs += 10_000 * MS;
    long beginNs = nowNs;
    while (share.isLeft(nowNs)) {
      take(MS);
    }
    assertThat(nowNs - beginNs).isBetween(99 * MS, 101 * MS);
  }

  @Test
  void shouldForgetALongDebtSoon() {
    take(60_000 * MS);
    assertThat(share.isLeft(nowNs)).isFalse();
    assertThat(share.isLeft(nowNs + 100 * MS)).isTrue();
  }
}
