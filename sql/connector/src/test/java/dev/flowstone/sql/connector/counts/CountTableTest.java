// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.counts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CountTableTest {
  private static final int WORDS = 3;

  private record Sums(long packets, long bytes) {
    Sums plus(Sums other) {
      return new Sums(packets + other.packets, bytes + other.bytes);
    }
  }

  /** Few keys, as many as there is room for, and many more. */
  @ParameterizedTest
  @ValueSource(ints = {1, 100, 8_192, 100_000})
  void shouldSumUpAsAMapDoes(int keys) {
    SplittableRandom random = new SplittableRandom(keys);
    CountTable table = new CountTable(WORDS);
    Map<List<Long>, Sums> expected = new HashMap<>();
    Map<List<Long>, Sums> told = new HashMap<>();
    for (int i = 0; i < 300_000; i++) {
      long[] key = {0, random.nextInt(keys), -1};
      long bytes = random.nextInt(9_000);
      if (table.isFull()) {
        tell(table, told);
      }
      long packets = random.nextLong(1, 4);
      table.add(key, packets, bytes);
      expected.merge(List.of(key[0], key[1], key[2]), new Sums(packets, bytes), Sums::plus);
    }
    tell(table, told);
    assertThat(told).isEqualTo(expected);
    assertThat(table.size()).isZero();
  }

  private static void tell(CountTable table, Map<List<Long>, Sums> told) {
    for (int entry = 0; entry < table.size(); entry++) {
      told.merge(
          List.of(table.keyWord(entry, 0), table.keyWord(entry, 1), table.keyWord(entry, 2)),
          new Sums(table.packets(entry), table.bytes(entry)),
          Sums::plus);
    }
    table.clear();
  }
}
