// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

/** How evenly it fills the tables that use it is shown where these are. */
class TupleHashTest {
  private static final int SLOTS = 1 << 16;

  /** Thrown at random, as many flows leave 37 % of the slots free. */
  private static final double MOST_SLOTS_FREE = 0.4;

  /** Each makes the rows other rows: what is left to luck would show in one of them. */
  private static final int STARTS = 20;

  private static final long FAR_APART = 0x9e37_79b1L;

  private static int ofWord(int word, long bits) {
    return TupleHash.of(
        word == 0 ? bits : 1,
        word == 1 ? bits : 2,
        word == 2 ? bits : 3,
        word == 3 ? bits : 4,
        word == 4 ? bits : 5);
  }

  @Test
  void shouldSpreadRowsByEachHalfOfEachWord() {
    for (int word = 0; word < 5; word++) {
      int changed = word;
      for (long start = 0; start < STARTS; start++) {
        long other = start * FAR_APART & 0xffff_ffffL;
        assertSpread(row -> ofWord(changed, other << 32 | row));
        assertSpread(row -> ofWord(changed, (long) row << 32 | other));
      }
    }
  }

  /** By the lowest bits; the highest are those that packet batches take. */
  private static void assertSpread(IntUnaryOperator hashOfRow) {
    BitSet taken = new BitSet(SLOTS);
    for (int row = 0; row < SLOTS; row++) {
      taken.set(hashOfRow.applyAsInt(row) & (SLOTS - 1));
    }
    assertThat(1 - (double) taken.cardinality() / SLOTS).isLessThan(MOST_SLOTS_FREE);
  }

  /** As in a process of its own: the class is loaded again. */
  @Test
  void shouldBeAnotherHashInAnotherProcess() throws ReflectiveOperationException, IOException {
    URL classes = TupleHash.class.getProtectionDomain().getCodeSource().getLocation();
    try (URLClassLoader process = new URLClassLoader(new URL[] {classes}, null)) {
      Class<?> other = process.loadClass(TupleHash.class.getName());
      Class<?>[] words =
          new Class<?>[] {long.class, long.class, long.class, long.class, long.class};
      Method of = other.getMethod("of", words);
      List<Object> elsewhere = new ArrayList<>();
      for (long word = 0; word < 3; word++) {
        elsewhere.add(of.invoke(null, word, word, word, word, word));
      }
      assertThat(elsewhere).isNotEqualTo(List.of(ofAll(0), ofAll(1), ofAll(2)));
    }
  }

  private static int ofAll(long word) {
    return TupleHash.of(word, word, word, word, word);
  }
}
