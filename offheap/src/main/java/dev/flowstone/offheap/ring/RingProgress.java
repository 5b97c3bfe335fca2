// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import java.util.Optional;

/**
 * How far a reader has come in one incarnation of a ring: all it needs to go on after a restart,
 * and to say exactly what it missed meanwhile.
 *
 * @param incarnation whose positions these are
 * @param position next slot to read
 * @param time the clock there
 * @param books the packets until there
 */
public record RingProgress(long incarnation, long position, RingTime time, PacketBooks books) {

  /**
   * Where the lane of a reader stands that left nothing else behind. Whoever resumes there learns
   * time and counts from the first TIME record on; a reader that only ever releases up to such a
   * record leaves its successor nothing that cannot be dated.
   */
  public static Optional<RingProgress> ofLane(RingFile file, ReaderName reader) {
    return file.lanes().occupants().stream()
        .filter(occupant -> occupant.reader().equals(reader))
        .findFirst()
        .map(
            occupant ->
                new RingProgress(
                    file.identity().incarnation(),
                    occupant.releasedPosition(),
                    RingTime.UNKNOWN,
                    PacketBooks.beginningAt(file.counters())));
  }
}
