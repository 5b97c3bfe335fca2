// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

/**
 * Why packets of the sender's tap are not in the rings here. All are told as lost before the tap.
 */
public enum LossCause {
  /** They never reached the sender's tap, as its rings tell. */
  BEFORE_TAP,
  /** The sender's ring dropped them, or the sender came too late for them. */
  RING,
  /** They were sent and did not come, or came damaged or too late. */
  NETWORK,
  /** They came while nobody sent or nobody listened, or were lost with a run's first datagrams. */
  AWAY
}
