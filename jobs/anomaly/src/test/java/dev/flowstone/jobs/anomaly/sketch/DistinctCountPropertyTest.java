// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.sketch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class DistinctCountPropertyTest {
  private static DistinctCount of(List<Integer> values) {
    DistinctCount count = new DistinctCount();
    values.forEach(value -> count.add(FixedHash.of(value)));
    return count;
  }

  /** However often and in whichever order values come, and however they were parted. */
  @Property(tries = 200)
  void shouldDependOnTheSetAlone(
      @ForAll Random random, @ForAll @IntRange(min = 1, max = 300) int range) {
    List<Integer> values = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      values.add(random.nextInt(range));
    }
    DistinctCount whole = of(values);
    Collections.shuffle(values, random);
    int cut = random.nextInt(values.size());
    DistinctCount parts = of(values.subList(0, cut));
    parts.addAll(of(values.subList(cut, values.size())).toBytes());
    parts.addAll(of(values.subList(0, cut)).toBytes());

    Set<Integer> distinct = new HashSet<>(values);
    assertThat(parts.estimate()).isEqualTo(whole.estimate());
    assertThat(parts.toBytes()).hasSameSizeAs(whole.toBytes());
    if (distinct.size() <= DistinctCount.MOST_EXACT) {
      assertThat(whole.estimate()).isEqualTo(distinct.size());
    } else {
      assertThat(whole.estimate()).isCloseTo(distinct.size(), within(distinct.size() / 8L));
    }
  }

  /** Addresses in a row as a scanner takes them, and anywhere: five times the standard error. */
  @Example
  void shouldEstimateManyWithinItsError() {
    for (int size : new int[] {65, 100, 1_000, 2_560, 5_000, 100_000, 1_000_000}) {
      DistinctCount count = new DistinctCount();
      for (int i = 0; i < size; i++) {
        count.add(FixedHash.and(FixedHash.of(0), 0xffff_0a00_0000L + i));
      }
      assertThat(count.estimate()).as("of %d", size).isCloseTo(size, within(size * 165L / 1000));
    }
  }

  /** What a checkpoint holds is read by the next version, too. */
  @Example
  void shouldHashAsItAlwaysDid() {
    assertThat(FixedHash.of(1)).isEqualTo(2_717_770_620_714_153_248L);
    assertThat(FixedHash.and(FixedHash.of(1), 2)).isEqualTo(-5_832_541_217_764_398_691L);
  }
}
