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
  /** From another address than the one that may send. */
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
  LATE
}
