// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.flowstone.raw.RawPacketBatch;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PacerTest {
  private static final long OVERSLEEP_NS = 60_000;

  private RawPacketBatch batch;
  private long nowNs = 1_000_000_000_000L;
  private long sleeps;

  @BeforeEach
  void makeBatch() {
    batch = new RawPacketBatch(1000);
    batch.begin(MemorySegment.NULL);
  }

  @AfterEach
  void closeBatch() {
    batch.close();
  }

  private long clock() {
    return nowNs;
  }

  private void sleep(long ns) {
    sleeps++;
    nowNs += ns + OVERSLEEP_NS;
  }

  private void addAt(long... timesNs) {
    for (long timeNs : timesNs) {
      batch.append(0, timeNs, 64, 64, 1, 0);
    }
  }

  /** Lets the whole batch out and returns how often the pacer was asked. */
  private int letOut(Pacer pacer) {
    int asked = 0;
    for (int from = 0; from < batch.count(); asked++) {
      from += pacer.awaitDue(batch, from);
    }
    return asked;
  }

  @Test
  void shouldKeepTheAverageRateThoughSleepsAreTooLong() {
    Pacer pacer = Pacer.packetsPerSecond(1e6, this::clock, this::sleep);
    addAt(new long[1000]);
    long startNs = nowNs;
    for (int i = 0; i < 1000; i++) {
      letOut(pacer);
    }
    assertThat((nowNs - startNs) / 1e9).isCloseTo(1.0, within(0.001));
    assertThat(sleeps).as("one sleep for many packets").isBetween(1_500L, 2_100L);
  }

  @Test
  void shouldNotLetPacketsOutEarly() {
    Pacer pacer = Pacer.recorded(1, this::clock, this::sleep);
    addAt(5_000, 5_000, 2_005_000, 3_005_000);
    long startNs = nowNs;
    assertThat(pacer.awaitDue(batch, 0)).isEqualTo(2);
    assertThat(pacer.awaitDue(batch, 2)).isEqualTo(1);
    assertThat(nowNs - startNs).isBetween(2_000_000L, 2_000_000 + Pacer.BURST_NS + OVERSLEEP_NS);
    assertThat(pacer.awaitDue(batch, 3)).isEqualTo(1);
    assertThat(nowNs - startNs).isGreaterThanOrEqualTo(3_000_000);
  }

  @Test
  void shouldReplayFasterByTheFactor() {
    Pacer pacer = Pacer.recorded(10, this::clock, this::sleep);
    addAt(0, 1_000_000_000);
    long startNs = nowNs;
    letOut(pacer);
    assertThat(nowNs - startNs).isBetween(100_000_000L, 101_000_000L);
  }

  @Test
  void shouldComeBackForHeartbeatsDuringALongGap() {
    Pacer pacer = Pacer.recorded(1, this::clock, this::sleep);
    addAt(0, 10_000_000_000L);
    assertThat(pacer.awaitDue(batch, 0)).isEqualTo(1);
    long startNs = nowNs;
    assertThat(pacer.awaitDue(batch, 1)).isZero();
    assertThat(nowNs - startNs).isLessThan(2 * Pacer.LONGEST_WAIT_NS);
    assertThat(letOut(pacer)).isGreaterThan(100);
    assertThat(nowNs - startNs).isGreaterThanOrEqualTo(9_900_000_000L);
  }

  @Test
  void shouldNotWaitForPacketsThatAreOlderThanTheFirst() {
    Pacer pacer = Pacer.recorded(1, this::clock, this::sleep);
    addAt(5_000_000_000L, 1_000);
    letOut(pacer);
    assertThat(sleeps).isZero();
  }

  @Test
  void shouldNotWaitForADamagedTime() {
    Pacer pacer = Pacer.recorded(1, this::clock, this::sleep);
    long decadeNs = 315_000_000_000_000_000L;
    addAt(0, decadeNs, 1_000_000_000, 2_000_000_000);
    long startNs = nowNs;
    letOut(pacer);
    assertThat(nowNs - startNs).isBetween(1_000_000_000L, 2_100_000_000L);
    assertThat(pacer.skippedGaps()).as("there and back").isEqualTo(2);
  }

  @Test
  void shouldSayHowFarItIsBehind() {
    Pacer pacer = Pacer.packetsPerSecond(1000, this::clock, this::sleep);
    addAt(0, 0);
    assertThat(pacer.awaitDue(batch, 0)).isEqualTo(1);
    nowNs += 501_000_000;
    assertThat(pacer.awaitDue(batch, 1)).isEqualTo(1);
    assertThat(pacer.behindNs()).isEqualTo(500_000_000);
  }

  @Test
  void shouldNotHoldUnpacedPackets() {
    addAt(0, Long.MAX_VALUE);
    assertThat(Pacer.unpaced().awaitDue(batch, 0)).isEqualTo(2);
  }

  @Test
  void shouldRefuseRatesThatAreNone() {
    assertThatThrownBy(() -> Pacer.packetsPerSecond(0)).hasMessageContaining("rate=0");
    assertThatThrownBy(() -> Pacer.recorded(Double.NaN)).hasMessageContaining("speed=NaN");
  }

  @Test
  void shouldPaceAgainstTheRealClock() {
    Pacer pacer = Pacer.packetsPerSecond(1e6);
    addAt(new long[1000]);
    long startNs = System.nanoTime();
    for (int i = 0; i < 100; i++) {
      letOut(pacer);
    }
    assertThat(System.nanoTime() - startNs).isGreaterThanOrEqualTo(99_999_000L);
  }
}
