// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

/**
 * What all talks of a flow have in common, packed into one word.
 *
 * <pre>
 *   63           48 47               32 31             16 15            8 7           0
 *   | advanceBytes | answererWireBytes | talkerWireBytes | sequenceOffset | turnPackets |
 * </pre>
 */
final class TalkShape {
  private static final int SEQUENCE_OFFSET_SHIFT = 8;
  private static final int WIRE_BYTES_SHIFT = 16;
  private static final int ADVANCE_BYTES_SHIFT = 48;
  private static final int BYTE_MASK = 0xFF;
  private static final int SHORT_MASK = 0xFFFF;

  private TalkShape() {}

  static long pack(
      int turnPackets,
      int sequenceOffset,
      int talkerWireBytes,
      int answererWireBytes,
      int advanceBytes) {
    assert turnPackets <= BYTE_MASK && sequenceOffset <= BYTE_MASK;
    assert Math.max(talkerWireBytes, answererWireBytes) <= SHORT_MASK && advanceBytes <= SHORT_MASK;
    return turnPackets
        | ((long) sequenceOffset << SEQUENCE_OFFSET_SHIFT)
        | ((long) talkerWireBytes << WIRE_BYTES_SHIFT)
        | ((long) answererWireBytes << (WIRE_BYTES_SHIFT + Short.SIZE))
        | ((long) advanceBytes << ADVANCE_BYTES_SHIFT);
  }

  /** Packets that the talker sends before the answerer sends one. */
  static int turnPackets(long shape) {
    return (int) shape & BYTE_MASK;
  }

  /** Where sequence and acknowledgement number are in a frame. */
  static int sequenceOffset(long shape) {
    return (int) (shape >>> SEQUENCE_OFFSET_SHIFT) & BYTE_MASK;
  }

  /** Length on the wire of a side's frames. */
  static int wireBytes(long shape, int side) {
    return (int) (shape >>> (WIRE_BYTES_SHIFT + side * Short.SIZE)) & SHORT_MASK;
  }

  /** By how much a talker's packet moves its sequence number on. */
  static int advanceBytes(long shape) {
    return (int) (shape >>> ADVANCE_BYTES_SHIFT);
  }
}
