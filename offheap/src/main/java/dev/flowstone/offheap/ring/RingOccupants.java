// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The readers of a ring that works on while somebody looks.
 *
 * @param position how far its producer had come before the lanes were read
 */
public record RingOccupants(long position, List<RingLanes.Occupant> readers) {

  public static RingOccupants of(RingFile file) {
    return look(file::position, file.lanes()::occupants);
  }

  /**
   * The position first: lanes only move on, so none that is read later holds more below it than the
   * ring has slots. The other way about, a reader that released meanwhile would seem to.
   */
  static RingOccupants look(LongSupplier position, Supplier<List<RingLanes.Occupant>> readers) {
    long before = position.getAsLong();
    return new RingOccupants(before, readers.get());
  }

  public boolean holdSpace() {
    return readers.stream().anyMatch(RingLanes.Occupant::holdsSpace);
  }

  /** Slots from another position, read later, to that of the producer. */
  public long slotsFrom(long other) {
    return Math.max(0, position - other);
  }
}
