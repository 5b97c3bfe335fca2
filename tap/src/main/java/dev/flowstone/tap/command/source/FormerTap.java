// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.source;

import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;

/**
 * The tap whose rings a new tap replaces.
 *
 * @param latest when it captured last
 */
record FormerTap(Instant latest) {
  private static final double MS_PER_SECOND = 1e3;

  /** Empty: there are no rings, or their times are not those of this host's clock. */
  static Optional<FormerTap> of(RingDirectory folder) {
    long latestNs = 0;
    for (Path file : folder.ringFiles()) {
      try (RingFile ring = RingFile.open(file)) {
        if (isLive(ring.identity().clock())) {
          latestNs = Math.max(latestNs, ring.counters().latestTimeNs());
        }
      } catch (RingFileException unreadable) {
        // Such a file is replaced as well, and has nothing to report.
      }
    }
    return latestNs == 0
        ? Optional.empty()
        : Optional.of(new FormerTap(Instant.ofEpochSecond(0, latestNs)));
  }

  /** The clock of a network card may have another time than this host. */
  static boolean isLive(int clock) {
    return clock == RingClock.WALL;
  }

  /** Nothing counts the packets that passed meanwhile. */
  String gapUntil(Instant now) {
    return String.format(
        Locale.ROOT,
        "nothing was captured for %,.1f s: the former tap of this folder captured last at %s",
        Math.max(0, Duration.between(latest, now).toMillis()) / MS_PER_SECOND,
        latest.truncatedTo(ChronoUnit.MILLIS));
  }
}
