// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

/**
 * What a port of the card counted since its kernel was started: received = filtered + overflowed +
 * sent, but for what is under way.
 *
 * @param badPackets frames that the MAC called damaged; they are not among the received ones
 * @param filteredPackets dropped by a rule, as was asked for
 * @param overflowedPackets lost because the way to the rings was full
 * @param sentPackets records that went to the rings
 */
public record PortCounters(
    long receivedPackets,
    long receivedBytes,
    long badPackets,
    long filteredPackets,
    long overflowedPackets,
    long sentPackets) {}
