// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

/**
 * Why packets that came to a card are not in the ring files. All are told as lost before the tap.
 */
public enum CardLoss {
  /** Their way from the port to the card's rings was full. */
  OVERFLOWED,
  /** The card's ring was full: the tap did not take its records in time. */
  RING_FULL,
  /** Their slots were not what the card said they are, however often they were fetched. */
  DAMAGED,
  /** Their key group's ring is not there, or they came when the rings were stopped. */
  MISDIRECTED,
  /** They were in the card when it stopped answering, or when its tap ended. */
  LEFT_BEHIND,
  /** They came, or were not taken, while no tap was at work. */
  AWAY
}
