// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.flowstone.model.abi.CardTapRegistersLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two ports whose registers take a microsecond each. */
class PortAlignmentTest {
  private static final long ACCESS_NS = 1_000;
  private static final long PREEMPTION_NS = 5_000_000;
  private static final int INCREMENT = 0x35555555;

  private long nowNs;
  private long accesses;
  private long preemptedAccess = -1;

  /** A clock that counts the test's time from what it was set to. */
  private class PortRegisters implements Registers {
    private long aheadNs;
    private int setHigh;
    private int heldHigh;
    private int increment;

    PortRegisters(long aheadNs, int increment) {
      this.aheadNs = aheadNs;
      this.increment = increment;
    }

    private void access() {
      nowNs += ACCESS_NS;
      if (accesses++ == preemptedAccess) {
        nowNs += PREEMPTION_NS;
      }
    }

    @Override
    public int read(long offset) {
      access();
      if (offset == CardTapRegistersLayout.MAGIC_OFFSET) {
        return CardTapRegistersLayout.MAGIC;
      }
      if (offset == CardTapRegistersLayout.VERSION_OFFSET) {
        return CardTapRegistersLayout.VERSION;
      }
      if (offset == CardTapRegistersLayout.TIME_INCREMENT_OFFSET) {
        return increment;
      }
      if (offset == CardTapRegistersLayout.TIME_NS_OFFSET) {
        heldHigh = (int) (timeNs() >>> Integer.SIZE);
        return (int) timeNs();
      }
      return heldHigh;
    }

    @Override
    public void write(long offset, int value) {
      access();
      if (offset == CardTapRegistersLayout.TIME_INCREMENT_OFFSET) {
        increment = value;
      } else if (offset == CardTapRegistersLayout.TIME_SET_HIGH_OFFSET) {
        setHigh = value;
      } else {
        aheadNs = ((long) setHigh << Integer.SIZE | Integer.toUnsignedLong(value)) - nowNs;
      }
    }

    long timeNs() {
      return nowNs + aheadNs;
    }
  }

  /** Wherever the thread is preempted: between a read and the write that follows, too. */
  @ParameterizedTest
  @ValueSource(ints = {-1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 14, 20})
  void shouldSetBothClocksToTheSameTime(int accessesBeforePreemption) {
    PortRegisters first = new PortRegisters(1_700_000_000_000_000_000L, INCREMENT);
    PortRegisters second = new PortRegisters(77, INCREMENT + 1_000);
    CardPort reference = new CardPort("first", first);
    CardPort port = new CardPort("second", second);
    if (accessesBeforePreemption >= 0) {
      preemptedAccess = accesses + accessesBeforePreemption;
    }
    assertThat(PortAlignment.align(port, reference)).isZero();
    assertThat(Math.abs(second.timeNs() - first.timeNs())).isLessThan(4 * ACCESS_NS);
    assertThat(second.increment).isEqualTo(INCREMENT);
  }

  @Test
  void shouldReturnADifferenceThatStays() {
    PortRegisters first = new PortRegisters(1_700_000_000_000_000_000L, INCREMENT);
    PortRegisters second =
        new PortRegisters(0, INCREMENT) {
          @Override
          public void write(long offset, int value) {}
        };
    long offsetNs =
        PortAlignment.align(new CardPort("second", second), new CardPort("first", first));
    assertThat(offsetNs).isCloseTo(-1_700_000_000_000_000_000L, within(4 * ACCESS_NS));
  }
}
