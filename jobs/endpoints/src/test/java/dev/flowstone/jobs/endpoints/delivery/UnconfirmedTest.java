// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class UnconfirmedTest {
  private final AtomicLong nowNs = new AtomicLong();
  private final Unconfirmed unconfirmed = new Unconfirmed(nowNs::get);

  private void sleep(long ms) {
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
  }

  @Test
  void measuresSilenceFromTheFirstThatWaits() {
    sleep(5_000);
    assertThat(unconfirmed.silenceMs()).as("nothing waits").isZero();
    unconfirmed.add(1);
    sleep(300);
    unconfirmed.add(2);
    sleep(20);
    assertThat(unconfirmed.count()).isEqualTo(3);
    assertThat(unconfirmed.silenceMs()).isEqualTo(320);
  }

  @Test
  void measuresSilenceFromTheLatestConfirmation() {
    unconfirmed.add(3);
    sleep(300);
    unconfirmed.confirm(2);
    sleep(40);
    assertThat(unconfirmed.silenceMs()).isEqualTo(40);
    unconfirmed.confirm(1);
    sleep(40);
    assertThat(unconfirmed.silenceMs()).as("nothing waits").isZero();
  }

  /** Kafka may confirm a message before its send has returned. */
  @Test
  void takesAConfirmationThatComesFirst() {
    unconfirmed.confirm(1);
    unconfirmed.add(1);
    sleep(40);
    assertThat(unconfirmed.count()).isZero();
    assertThat(unconfirmed.silenceMs()).isZero();
  }

  @Test
  void takesWhatIsGivenUpAsNoConfirmation() {
    unconfirmed.add(3);
    sleep(300);
    unconfirmed.giveUp(1);
    sleep(40);
    assertThat(unconfirmed.count()).isEqualTo(2);
    assertThat(unconfirmed.silenceMs()).isEqualTo(340);
  }

  /** As of a store that is away, while the oldest results make way for the next. */
  @Test
  void measuresSilenceOnWhenAllIsGivenUp() {
    unconfirmed.add(3);
    sleep(300);
    unconfirmed.giveUp(3);
    assertThat(unconfirmed.silenceMs()).isEqualTo(300);
    unconfirmed.add(2);
    sleep(40);
    assertThat(unconfirmed.silenceMs()).isEqualTo(340);
    unconfirmed.confirm(2);
    sleep(40);
    assertThat(unconfirmed.silenceMs()).as("nothing waits").isZero();
  }
}
