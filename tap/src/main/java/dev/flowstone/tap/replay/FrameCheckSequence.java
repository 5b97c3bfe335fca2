// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

/**
 * The frame check sequence that some captures store at the end of each frame. Frame lengths exclude
 * it in every format, because network interfaces deliver frames without it.
 */
final class FrameCheckSequence {
  static final int ETHERNET_BYTES = 4;

  private static final int LINK_TYPE_HAS_LENGTH = 1 << 26;
  private static final int LINK_TYPE_LENGTH_SHIFT = 28;
  private static final int LINK_TYPE_UNIT_BYTES = 2;
  private static final int PACKET_FLAGS_LENGTH_SHIFT = 5;
  private static final int PACKET_FLAGS_LENGTH_MASK = 0xF;
  private static final int MIN_OPTION_BITS = 16;

  private FrameCheckSequence() {}

  /** Returns the length that the upper half of pcap's link-type word states, 0 without one. */
  static int bytesOfLinkTypeWord(int word) {
    return (word & LINK_TYPE_HAS_LENGTH) == 0
        ? 0
        : (word >>> LINK_TYPE_LENGTH_SHIFT) * LINK_TYPE_UNIT_BYTES;
  }

  /**
   * Returns the length that pcapng's {@code if_fcslen} states: bits, but some writers use bytes.
   */
  static int bytesOfInterfaceOption(int value) {
    return value < MIN_OPTION_BITS ? value : value / Byte.SIZE;
  }

  /** Returns the length that pcapng's {@code epb_flags} state, 0 without one. */
  static int bytesOfPacketFlags(int flags) {
    return flags >>> PACKET_FLAGS_LENGTH_SHIFT & PACKET_FLAGS_LENGTH_MASK;
  }
}
