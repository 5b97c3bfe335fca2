// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.HdrHistogram.Histogram;

/** Ranges and counts are those of the HdrHistogram library. */
class HdrLayoutPropertyTest {
  private static final int VALUES = 200;

  @Property(tries = 300)
  void shouldCountWhereTheLibraryDoes(
      @ForAll Random random, @ForAll @IntRange(min = 1, max = 4) int digits) {
    long lowest = 1 + random.nextLong(1L << (1 + random.nextInt(20)));
    long highest = 2 * lowest + random.nextLong(1L << (1 + random.nextInt(45)));
    HdrLayout layout = new HdrLayout(lowest, highest, digits);
    Histogram library = new Histogram(lowest, highest, digits);
    for (int i = 0; i < VALUES; i++) {
      long value = random.nextLong(1 + (highest >> random.nextInt(40)));
      assertSame(library, layout, value);
    }
    assertSame(library, layout, 0);
    assertSame(library, layout, lowest - 1);
    assertSame(library, layout, lowest);
    assertSame(library, layout, highest);
  }

  private static void assertSame(Histogram library, HdrLayout layout, long value) {
    int index = layout.indexOf(value);
    assertThat(index).isBetween(0, layout.length - 1);
    assertThat(layout.greatestAt(index))
        .as("%s: %d", layout, value)
        .isEqualTo(library.highestEquivalentValue(value));
    if (index > 0) {
      assertThat(layout.greatestAt(index - 1)).isEqualTo(library.lowestEquivalentValue(value) - 1);
    }
  }

  @Example
  void shouldHaveTheCountsOfTheExample() {
    HdrLayout layout = new HdrLayout(100, 10_000_000_000L, 1);

    assertThat(layout.length).isEqualTo(400);
    assertThat(layout.indexOf(1_000)).isEqualTo(15);
    assertThat(layout.indexOf(10_000)).isEqualTo(67);
    assertThat(layout.greatestAt(67)).isEqualTo(10_239);
  }

  @Example
  void shouldRefuseWhatTheLibraryRefuses() {
    long days = 86_400_000_000_000L;
    assertThatThrownBy(() -> new Histogram(3 * days, 7 * days, 5))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new HdrLayout(3 * days, 7 * days, 5))
        .hasMessageContaining("use fewer");
  }
}
