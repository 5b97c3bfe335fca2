// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap;

import dev.flowstone.model.abi.ParseProfile;

/** How deep the parser looks. */
public enum ParserProfile {
  /** All link types and header chains that the software data plane knows. */
  SOFTWARE(ParseProfile.SOFTWARE),
  /** What the card's pipeline does: Ethernet, 128 bytes, two tags, three labels. */
  CARD(ParseProfile.CARD);

  private final int number;

  ParserProfile(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }
}
