// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.faults;

import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.testbed.rings.RingSight;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * How a tap and its rings came through the deaths of their reader.
 *
 * @param sights of the rings, in order
 * @param deathsNs when the reader was killed
 * @param slotsOfEach slots of each ring
 */
public record RestartRecord(List<RingSight> sights, List<Long> deathsNs, long slotsOfEach) {

  /**
   * Packets a second that the tap offered, on average from the first sight of any to the last
   * sight; empty where these are not two.
   */
  public OptionalDouble offeredPerSecond() {
    List<RingSight> traffic = sights.stream().filter(sight -> sight.offered() > 0).toList();
    if (traffic.size() < 2) {
      return OptionalDouble.empty();
    }
    RingSight first = traffic.getFirst();
    RingSight last = traffic.getLast();
    return OptionalDouble.of(
        (last.offered() - first.offered()) / last.secondsSince(first.timeNs()));
  }

  /** One for each death, up to the next or to the end. */
  List<Outage> outages() {
    List<Outage> outages = new ArrayList<>();
    for (int death = 0; death < deathsNs.size(); death++) {
      long fromNs = deathsNs.get(death);
      boolean last = death == deathsNs.size() - 1;
      long toNs = last ? Long.MAX_VALUE : deathsNs.get(death + 1);
      outages.add(
          Outage.of(
              sights.stream()
                  .filter(sight -> sight.timeNs() >= fromNs && sight.timeNs() < toNs)
                  .toList()));
    }
    return outages;
  }

  /** What to say when a ring was full. */
  public String whyDropped(long packetsPerSecond) {
    long wanted = Math.round(2 * longestHoldSeconds() * packetsPerSecond);
    return String.format(
        Locale.ROOT,
        "packets dropped by a ring of %,d slots: up to %.1f s passed until space was given back;"
            + " at %,d packets/s that wants %,d slots (%,d MiB) in all rings together, with a"
            + " margin of 2",
        slotsOfEach,
        longestHoldSeconds(),
        packetsPerSecond,
        wanted,
        (wanted * RingFile.SLOT_BYTES) >> 20);
  }

  /** The longest time in which a reader gave nothing back. */
  double longestHoldSeconds() {
    double longest = 0;
    RingSight latestGift = null;
    for (RingSight sight : sights) {
      if (latestGift == null || sight.offered() == 0 || sight.released() > latestGift.released()) {
        latestGift = sight;
      }
      longest = Math.max(longest, sight.secondsSince(latestGift.timeNs()));
    }
    return longest;
  }

  long mostHeld() {
    return sights.stream().mapToLong(RingSight::held).max().orElse(0);
  }

  private String rate() {
    OptionalDouble rate = offeredPerSecond();
    return rate.isPresent()
        ? String.format(Locale.ROOT, "%,.0f packets/s on average", rate.getAsDouble())
        : "no packets, or only for a moment";
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "offered %s; nothing given back for %.1f s at most, a ring %.0f %%" + " full at most",
            rate(),
            longestHoldSeconds(),
            100.0 * mostHeld() / slotsOfEach));
    int kill = 0;
    for (Outage outage : outages()) {
      text.append(String.format("%n  kill %d: %s", ++kill, outage));
    }
    return text.toString();
  }
}
