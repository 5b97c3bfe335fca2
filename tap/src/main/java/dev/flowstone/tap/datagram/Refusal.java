// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.datagram;

/** Why a datagram that came is not used. */
public enum Refusal {
  /** Shorter than a header. */
  TOO_SHORT,
  /** Something else than telemetry. */
  FOREIGN,
  /** Of a release with another form of datagrams. */
  VERSION,
  /** Longer or shorter than it says. */
  LENGTH,
  /** Damaged on the way. */
  CHECKSUM,
  /** Says what no sender says. */
  CONTENT,
  /** From an address that is not in the allow-list. */
  ADDRESS,
  /** Of another sender than the one that is listened to. */
  OTHER_SENDER,
  /** Of an earlier run of the sender. */
  FORMER_RUN,
  /** Of rings that those here are not like. */
  ARRANGEMENT,
  /** Came before. */
  DUPLICATE,
  /**
   * Came when others of its ring were no longer held back for it: its packets were told as lost.
   */
  LATE,
  /** Of a sender with more rings than the receiver may make. */
  TOO_MANY_RINGS,
  /** The rings for its sender could not be made, or are made again later. */
  RINGS_UNAVAILABLE,
  /** Without a valid tag, which the receiver's key requires. */
  UNAUTHENTICATED,
  /** With a tag, which a receiver without a key cannot verify. */
  NO_KEY
}
