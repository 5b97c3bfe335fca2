// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.faults;

import dev.flowstone.testbed.rings.RingSight;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * What one death of the reading process meant for the rings, in seconds since it.
 *
 * @param readAgain when a new process took the rings up; empty: it was killed before
 * @param givenBack when that process gave back its first space, after a checkpoint
 * @param caughtUp when no more was held than just before the death; empty: not before the next one
 * @param mostHeld slots of the fullest ring held meanwhile
 */
record Outage(
    OptionalDouble readAgain, OptionalDouble givenBack, OptionalDouble caughtUp, long mostHeld) {

  /** Of the sights from one death to the next, or to the end; none of them: nothing is known. */
  static Outage of(List<RingSight> sights) {
    if (sights.isEmpty()) {
      return new Outage(OptionalDouble.empty(), OptionalDouble.empty(), OptionalDouble.empty(), 0);
    }
    RingSight death = sights.getFirst();
    OptionalDouble readAgain = OptionalDouble.empty();
    OptionalDouble givenBack = OptionalDouble.empty();
    OptionalDouble caughtUp = OptionalDouble.empty();
    long takenUp = 0;
    long mostHeld = 0;
    for (RingSight sight : sights) {
      double seconds = sight.secondsSince(death.timeNs());
      mostHeld = Math.max(mostHeld, sight.held());
      if (readAgain.isEmpty() && sight.readerPid() != death.readerPid()) {
        readAgain = OptionalDouble.of(seconds);
        takenUp = sight.released();
      } else if (givenBack.isEmpty() && readAgain.isPresent() && sight.released() > takenUp) {
        givenBack = OptionalDouble.of(seconds);
      }
      if (givenBack.isPresent() && caughtUp.isEmpty() && sight.held() <= death.held()) {
        caughtUp = OptionalDouble.of(seconds);
      }
    }
    return new Outage(readAgain, givenBack, caughtUp, mostHeld);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "read again %s, space given back %s, caught up %s; at most %,d slots of a ring held",
        after(readAgain),
        after(givenBack),
        after(caughtUp),
        mostHeld);
  }

  private static String after(OptionalDouble seconds) {
    return seconds.isPresent()
        ? String.format(Locale.ROOT, "after %.2f s", seconds.getAsDouble())
        : "not before the next kill";
  }
}
