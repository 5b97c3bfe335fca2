// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

/**
 * What came of one ring of a card.
 *
 * @param packets that went on to the ring file
 * @param fetches copies from the card's memory
 * @param fetchedBytes in these
 * @param failedFetches copies that failed and were tried again
 * @param repeatedFetches slots that were not yet what the head said, and were fetched again
 * @param damagedSlots slots that stayed wrong
 * @param surplusPackets packets that the card gave once more than it counted
 * @param misplacedRecords records, among those looked at, that belong to another ring
 */
public record PumpCounters(
    long packets,
    long fetches,
    long fetchedBytes,
    long failedFetches,
    long repeatedFetches,
    long damagedSlots,
    long surplusPackets,
    long misplacedRecords) {}
