// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

/**
 * What a ring of the card counted since the kernel was started.
 *
 * @param headPosition slots below are in the card's memory
 * @param writeFailed whether the memory refused a write, so that the head stays where it is
 */
public record CardRingCounters(
    long headPosition,
    long offeredPackets,
    long writtenPackets,
    long droppedPackets,
    boolean writeFailed) {}
