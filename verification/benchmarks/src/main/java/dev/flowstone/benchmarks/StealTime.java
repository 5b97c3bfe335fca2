// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * How much of this machine's processors its host gave to others, from {@code /proc/stat}; a figure
 * that was measured meanwhile says little about the program.
 */
final class StealTime {
  private static final Path FILE = Path.of("/proc/stat");

  /** After the word "cpu": user, nice, system, idle, iowait, irq, softirq, steal. */
  private static final int STEAL_FIELD = 7;

  private static final double DISTURBING_PERCENT = 1;

  private final long[] began = ticks();

  /** Of all processor time since this was made. */
  double percent() {
    return percent(began, ticks());
  }

  static double percent(long[] first, long[] last) {
    long all = sum(last) - sum(first);
    return all == 0 ? 0 : 100.0 * (last[STEAL_FIELD] - first[STEAL_FIELD]) / all;
  }

  static boolean isDisturbing(double percent) {
    return percent > DISTURBING_PERCENT;
  }

  private static long sum(long[] ticks) {
    return Arrays.stream(ticks).sum();
  }

  private static long[] ticks() {
    try {
      return ticksOf(Files.readString(FILE));
    } catch (IOException e) {
      throw new UncheckedIOException(FILE + ": cannot be read", e);
    }
  }

  /** What follows steal is part of user and nice already. */
  static long[] ticksOf(String stat) {
    String all = stat.lines().filter(line -> line.startsWith("cpu ")).findFirst().orElseThrow();
    return Arrays.stream(all.trim().split(" +", -1))
        .skip(1)
        .limit(STEAL_FIELD + 1)
        .mapToLong(Long::parseLong)
        .toArray();
  }
}
