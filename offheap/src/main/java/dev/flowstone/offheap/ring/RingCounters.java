// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

/**
 * The producer's counters of one ring. {@code offered = written + dropped}; each counted by itself.
 */
public record RingCounters(
    long offeredPackets,
    long writtenPackets,
    long droppedPackets,
    long lostRecorded,
    long saturatedLengths,
    long offeredBytes,
    long latestTimeNs) {}
