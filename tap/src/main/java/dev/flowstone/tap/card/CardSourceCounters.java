// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

/**
 * What a source of a card without a cable did since it was started. All that it sends comes to its
 * port: sent = received + bad of that port, once it has ended.
 *
 * @param wantedPackets what it was to send; {@link #WITHOUT_END}
 * @param sentPackets with one that was sent as damaged, where the memory failed in it
 * @param readFailed the card's memory refused a read, which ended it
 * @param cutShort its memory ended in the middle of a block, which ended it
 */
public record CardSourceCounters(
    long wantedPackets, long sentPackets, long sentBytes, boolean readFailed, boolean cutShort) {
  public static final long WITHOUT_END = -1;

  /** Of a port that is sent nothing. */
  static final CardSourceCounters NOTHING = new CardSourceCounters(0, 0, 0, false, false);
}
