// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SendPaceTest {
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long STEP_NS = 1000;

  private final SendPace fixed = new SendPace(OptionalDouble.of(100_000));
  private final SendPace going = new SendPace(OptionalDouble.empty());
  private long nowNs = 77 * SECOND_NS;
  private double offered;

  /** What is sent where there is always something to send. */
  private long sentIn(SendPace pace, long forNs, int packetsAtATime, double offeredPerSecond) {
    long sent = 0;
    for (long endNs = nowNs + forNs; nowNs < endNs; nowNs += STEP_NS) {
      offered += offeredPerSecond * STEP_NS / SECOND_NS;
      if (pace.wantsToLook(nowNs)) {
        pace.look((long) offered, nowNs);
      }
      if (pace.allows(nowNs)) {
        pace.sent(packetsAtATime, nowNs);
        sent += packetsAtATime;
      }
    }
    return sent;
  }

  @Test
  void shouldSendSoManyASecond() {
    assertThat(sentIn(fixed, SECOND_NS, 138, 9e6)).isBetween(100_000L, 101_300L);
  }

  @Test
  void shouldNotMakeUpForLongSilence() {
    fixed.sent(1, nowNs);
    nowNs += 60 * SECOND_NS;
    assertThat(sentIn(fixed, SECOND_NS / 10, 1, 0)).isBetween(10_000L, 11_100L);
  }

  @Test
  void shouldSendSomewhatMoreThanComes() {
    sentIn(going, SECOND_NS, 138, 2e6);
    assertThat(sentIn(going, SECOND_NS, 138, 2e6)).isBetween(2_900_000L, 3_100_000L);
  }

  @Test
  void shouldSendALeastOfWhatAnEndedTapHasLeft() {
    assertThat(sentIn(going, SECOND_NS, 138, 0)).isBetween(499_000L, 510_000L);
  }

  /** The next look is near; meanwhile the rings hold what comes. */
  @Test
  void shouldFollowWhatComesUpAtOnceAndDownLittleByLittle() {
    sentIn(going, SECOND_NS, 138, 100_000);
    sentIn(going, SECOND_NS / 5, 138, 5e6);
    assertThat(sentIn(going, SECOND_NS / 10, 138, 5e6)).isGreaterThan(700_000L);
    assertThat(sentIn(going, SECOND_NS / 2, 138, 0)).isGreaterThan(1_500_000L);
    sentIn(going, 5 * SECOND_NS, 138, 0);
    assertThat(sentIn(going, SECOND_NS, 138, 0)).isBetween(499_000L, 510_000L);
  }

  /** A tap that was started again counts from 0. */
  @Test
  void shouldBearACountThatGoesBack() {
    sentIn(going, SECOND_NS, 138, 2e6);
    offered = 0;
    assertThat(sentIn(going, SECOND_NS, 138, 2e6)).isBetween(2_500_000L, 3_100_000L);
  }
}
