// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.abi.CardTapRegistersLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A clock of the card that goes wrong by so much, looked at once a second. */
class CardClockTest {
  private static final long SECOND_NS = 1_000_000_000;
  private static final int NOMINAL = 0x35555555;

  private final Map<Long, Integer> written = new HashMap<>();
  private long doubtNs;
  private final Registers registers = new WrittenRegisters(written);

  /** Keeps what is written, on a card that was started a moment ago. */
  private record WrittenRegisters(Map<Long, Integer> written) implements Registers {
    @Override
    public int read(long offset) {
      if (offset == CardTapRegistersLayout.MAGIC_OFFSET) {
        return CardTapRegistersLayout.MAGIC;
      }
      return offset == CardTapRegistersLayout.VERSION_OFFSET
          ? CardTapRegistersLayout.VERSION
          : written.getOrDefault(offset, NOMINAL);
    }

    @Override
    public void write(long offset, int value) {
      written.put(offset, value);
    }
  }

  private double rate() {
    return registers.read(CardTapRegistersLayout.TIME_INCREMENT_OFFSET) / (double) NOMINAL;
  }

  /**
   * How far it is ahead after so long.
   *
   * @param wrong by how much the card's oscillator is too fast
   */
  private double offsetNsAfter(int seconds, double wrong, double firstOffsetNs) {
    CardClock clock = new CardClock(List.of(new CardPort("port", registers)));
    double cardNs = firstOffsetNs;
    for (int second = 1; second <= seconds; second++) {
      cardNs += SECOND_NS * (1 + wrong) * rate();
      clock.discipline((long) cardNs, second * SECOND_NS, doubtNs);
    }
    return cardNs - seconds * (double) SECOND_NS;
  }

  @Test
  void shouldKeepAClockThatGoesWrongNearTheHosts() {
    assertThat(Math.abs(offsetNsAfter(100, 50e-6, 0))).isLessThan(200_000);
    written.clear();
    assertThat(Math.abs(offsetNsAfter(100, -50e-6, 0))).isLessThan(200_000);
  }

  @Test
  void shouldMakeGoodWhatItIsBehind() {
    assertThat(Math.abs(offsetNsAfter(100, 0, -5_000_000))).isLessThan(1_000);
  }

  /** It goes a little faster, but never jumps. */
  @Test
  void shouldNotHurry() {
    offsetNsAfter(2, 0, -1_000_000);
    assertThat(rate()).isBetween(1 + 499e-6, 1 + 501e-6);
  }

  /** A tap that was killed may have left it as far off as it goes. */
  @Test
  void shouldNotTakeForUsualWhatAFormerTapHasLeft() {
    for (double left : new double[] {1 + 500e-6, 1 - 500e-6}) {
      written.put(CardTapRegistersLayout.TIME_INCREMENT_OFFSET, (int) Math.round(NOMINAL * left));
      assertThat(Math.abs(offsetNsAfter(100, 0, 0))).isLessThan(200_000);
      assertThat(rate()).isBetween(1 - 1e-6, 1 + 1e-6);
    }
  }

  /** A design that misses its timing is given fewer cycles in a second by its tools. */
  @ParameterizedTest
  @ValueSource(doubles = {-0.005, -0.01, -0.07, -0.3, 0.05})
  void shouldFollowKernelsOfAnotherFrequency(double wrong) {
    double afterTwoSecondsNs = offsetNsAfter(2, wrong, 0);
    double secondsToCatchUp = Math.abs(afterTwoSecondsNs) / 1e9 / 0.01;
    written.clear();
    assertThat(Math.abs(offsetNsAfter((int) secondsToCatchUp + 60, wrong, 0))).isLessThan(1_000);
    assertThat(rate() * (1 + wrong)).isBetween(1 - 1e-6, 1 + 1e-6);
  }

  /** The processor was away while the clocks were read: that says little of the rate. */
  @Test
  void shouldNotMeasureByALookThatTookLong() {
    doubtNs = 1_000_000;
    offsetNsAfter(10, -0.07, 0);
    assertThat(rate()).as("only hurried").isBetween(1.0001, 1.0101);
  }

  /** Then gaps between packets matter more than the time of day. */
  @Test
  void shouldNotHurryAfterAHostWhoseClockJumped() {
    offsetNsAfter(10, 0, -3_600e9);
    assertThat(rate()).isBetween(1 + 499e-6, 1 + 501e-6);
  }

  /** As that of a simulated card, whose second takes an hour. */
  @Test
  void shouldLeaveAloneWhatIsNoClock() {
    offsetNsAfter(10, -0.9, 0);
    assertThat(rate()).isEqualTo(1);
  }

  /** Else they would move apart. */
  @Test
  void shouldChangeTheRateOfAllPortsAlike() {
    Map<Long, Integer> writtenToSecond = new HashMap<>();
    CardClock clock =
        new CardClock(
            List.of(
                new CardPort("first", registers),
                new CardPort("second", new WrittenRegisters(writtenToSecond))));
    clock.discipline(SECOND_NS, SECOND_NS, 0);
    clock.discipline(2 * SECOND_NS - 1_000_000, 2 * SECOND_NS, 0);
    assertThat(rate()).isGreaterThan(1);
    assertThat(writtenToSecond).isEqualTo(written);
  }
}
