// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InterfaceDropsTest {
  private static final long SECOND_NS = 1_000_000_000;

  @TempDir private Path statistics;

  private void write(long missed, long dropped) throws IOException {
    Files.writeString(statistics.resolve("rx_missed_errors"), missed + "\n");
    Files.writeString(statistics.resolve("rx_dropped"), dropped + "\n");
  }

  @Test
  void countsFromTheBeginningOfTheCapture() throws Exception {
    write(1_000, 500);
    InterfaceDrops drops = new InterfaceDrops(statistics);
    drops.begin(0);
    write(1_007, 503);
    assertThat(drops.take(SECOND_NS)).isEqualTo(10);
    assertThat(drops.take(2 * SECOND_NS)).isZero();
    assertThat(drops.total()).isEqualTo(10);
  }

  @Test
  void readsTheCountersAtMostOncePerSecond() throws Exception {
    write(0, 0);
    InterfaceDrops drops = new InterfaceDrops(statistics);
    drops.begin(0);
    write(3, 0);
    assertThat(drops.take(SECOND_NS - 1)).isZero();
    assertThat(drops.takeNow(SECOND_NS - 1)).isEqualTo(3);
  }

  @Test
  void countsAnInterfaceFromZeroAfterItWasReplaced() throws Exception {
    write(100, 0);
    InterfaceDrops drops = new InterfaceDrops(statistics);
    drops.begin(0);
    write(4, 1);
    assertThat(drops.takeNow(1)).isEqualTo(5);
    Files.delete(statistics.resolve("rx_dropped"));
    assertThat(drops.takeNow(2)).isZero();
    write(50, 50);
    assertThat(drops.takeNow(3)).isZero();
    assertThat(drops.total()).isEqualTo(5);
  }
}
