// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

/**
 * The producer's counters of one ring, each counted where it happens: offered when a packet meets
 * the ring, then written or dropped. {@code offered = written + dropped}, and one more while a
 * packet waits for room.
 */
public record RingCounters(
    long offeredPackets,
    long writtenPackets,
    long droppedPackets,
    long lostRecorded,
    long saturatedLengths,
    long offeredBytes,
    long latestTimeNs) {}
