// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.raw;

/** Why a record was not used. */
public enum MalformedReason {
  /** The file ends inside a record, or a record says it is longer than the rest of the file. */
  CUT_SHORT("the file ends inside a record"),
  /** A packet above 16 MiB: the length is damaged. */
  TOO_LONG("a packet above 16 MiB"),
  /** A length that its own record contradicts: what follows cannot be found. */
  BAD_LENGTH("a record length that cannot be"),
  /** A packet said to be longer than the block it is in; the block is skipped. */
  PACKET_OUTSIDE_BLOCK("a packet longer than its block"),
  /** A packet or losses of an interface that the section did not describe; skipped. */
  UNKNOWN_INTERFACE("a packet or losses of an interface that is not described"),
  /** More interfaces in a section than are kept. */
  TOO_MANY_INTERFACES("more interfaces than are kept"),
  /** A count of lost packets that no link can lose. */
  IMPOSSIBLE_LOSS("a count of lost packets that cannot be"),
  /** A section header that cannot be read. */
  BAD_SECTION("a section header without a byte-order magic");

  private final String text;

  MalformedReason(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }
}
