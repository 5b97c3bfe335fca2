// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Counts packets that the network card, its driver or the backlog of a CPU dropped, before any
 * socket could receive them. The counters belong to the interface: packets that a filter would have
 * discarded count, too. One thread.
 *
 * <p>Linux adds the drops of the CPU backlogs ({@code softnet_stat}) to {@code rx_dropped} of the
 * interface. While a socket receives all protocols, {@code rx_dropped} does not count packets of
 * unknown protocols.
 */
final class InterfaceDrops {
  private static final List<String> COUNTERS = List.of("rx_missed_errors", "rx_dropped");
  private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

  private final Path statistics;
  private OptionalLong latest = OptionalLong.empty();
  private long readAtNs;
  private long total;

  /**
   * @param statistics folder of the interface's counters
   */
  InterfaceDrops(Path statistics) {
    this.statistics = statistics;
  }

  static InterfaceDrops of(String interfaceName) {
    return new InterfaceDrops(Path.of("/sys/class/net", interfaceName, "statistics"));
  }

  /** Begins to count. */
  void begin(long nowNs) {
    latest = read();
    readAtNs = nowNs;
  }

  /** Returns the drops since the last call that read the counters, at most once per second. */
  long take(long nowNs) {
    return nowNs - readAtNs < INTERVAL_NS ? 0 : takeNow(nowNs);
  }

  /** Returns the drops since the last call that read the counters. */
  long takeNow(long nowNs) {
    readAtNs = nowNs;
    OptionalLong before = latest;
    latest = read();
    if (before.isEmpty() || latest.isEmpty()) {
      return 0;
    }
    long dropped = latest.getAsLong() - before.getAsLong();
    // An interface that was removed and created again counts from zero.
    long since = dropped < 0 ? latest.getAsLong() : dropped;
    total += since;
    return since;
  }

  long total() {
    return total;
  }

  /** Empty: the interface is gone. */
  private OptionalLong read() {
    long sum = 0;
    try {
      for (String counter : COUNTERS) {
        sum += Long.parseLong(Files.readString(statistics.resolve(counter)).strip());
      }
    } catch (IOException | NumberFormatException gone) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(sum);
  }
}
