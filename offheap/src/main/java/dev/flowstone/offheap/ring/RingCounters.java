// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

/**
 * The producer's counters of one ring, each counted where it happens: offered when a packet meets
 * the ring, then written or dropped. {@code offered = written + dropped}, and one more while a
 * packet waits for room.
 *
 * @param lostRecorded dropped packets that LOSS records tell of
 * @param lostBeforeTap packets that never reached the tap; told in ring 0
 * @param lostBeforeTapRecorded of these, what LOSS records tell of
 * @param expiredLanes gating lanes whose space the producer took because nobody was there any more
 * @param otherClockPackets packets timed by another clock than the header's
 */
public record RingCounters(
    long offeredPackets,
    long writtenPackets,
    long droppedPackets,
    long lostRecorded,
    long saturatedLengths,
    long offeredBytes,
    long latestTimeNs,
    long lostBeforeTap,
    long lostBeforeTapRecorded,
    long expiredLanes,
    long otherClockPackets) {

  /**
   * Dropped packets that no LOSS record tells of yet: there was no room for that, either. Not zero
   * means that the ring is full.
   */
  public long untoldPackets() {
    return droppedPackets - lostRecorded;
  }
}
