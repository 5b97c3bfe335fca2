// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap;

/** How deep the parser looks. */
public enum ParserProfile {
  /** All link types and header chains that the software data plane knows. */
  SOFTWARE(0),
  /** What the card's pipeline does: Ethernet, 128 bytes, two tags, three labels. */
  CARD(1);

  private final int number;

  ParserProfile(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }
}
