// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import java.util.Optional;

/**
 * How far a ring of the sender's tap was followed.
 *
 * @param stream of the ring
 * @param incarnation of the ring, within which the others count
 * @param packets offered to it that were received or told as lost
 * @param lostBeforeTap the same of those that it tells as lost before its tap
 * @param firstSequence of the run's datagrams that of the first one of this incarnation; 0 if
 *     another run told of it
 * @param gap what is not accounted for of earlier incarnations
 */
record SenderPlace(
    long stream,
    long incarnation,
    long packets,
    long lostBeforeTap,
    long firstSequence,
    Optional<Gap> gap) {

  /**
   * Packets of earlier incarnations of which no heartbeat has told yet.
   *
   * @param incarnation the earliest of them
   * @param knownPackets of that one and those after it that are accounted for, lost before the tap
   *     or not
   */
  record Gap(long incarnation, long knownPackets) {}
}
