// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.resample;

import dev.flowstone.raw.MalformedNote;
import dev.flowstone.raw.MalformedReason;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The packets of captures in memory, capture by capture, in the order of their files. A packet is
 * the beginning of its frame and five words:
 *
 * <pre>
 *   word 0 | time since the capture's first packet, in ns, without gaps that are too long
 *        1 | 63 offset of the frame in memory 24 23 captured bytes 8 | 7 flags 0
 *        2 | 63 wire bytes 32 | 31 link type 16 | 15 0 0
 *        3 | {@link PacketPlaces}
 *        4 | 63 class, number of the source's address 32 | 31 the destination's 0
 * </pre>
 */
final class Templates {
  /** Of a frame so many bytes are kept, as a router that mirrors traffic would cut it. */
  static final int SHOWN_BYTES = 256;

  /** Of all captures together: 1.2 GB. */
  static final int MOST_PACKETS = 4_000_000;

  static final int PACKET_WORDS = 5;
  static final int TIME = 0;
  static final int FRAME = 1;
  static final int WIRE = 2;
  static final int PLACES = 3;
  static final int ADDRESSES = 4;

  private static final int FRAME_SHIFT = 24;
  private static final int CAPTURED_SHIFT = 8;
  private static final int CLASS_SHIFT = 28;
  private static final int NUMBER_MASK = (1 << CLASS_SHIFT) - 1;

  private final long[] words;
  private final MemorySegment frames;
  private final int[] firstPackets;
  private final long[] durationsNs;
  private final int[] addresses;
  private final long skippedGaps;
  private final Map<MalformedReason, Long> malformed;
  private final List<MalformedNote> notes;

  /**
   * What was read of captures.
   *
   * @param words {@value #PACKET_WORDS} for each packet
   * @param frames what the offsets count from
   * @param firstPackets of each capture, and the end of the last one
   * @param durationsNs from the first packet of each capture to its latest
   * @param addresses how many of each class a capture has, at most
   * @param skippedGaps gaps between packets that were too long
   * @param malformed what of the captures could not be read
   * @param notes where
   */
  Templates(
      long[] words,
      MemorySegment frames,
      int[] firstPackets,
      long[] durationsNs,
      int[] addresses,
      long skippedGaps,
      Map<MalformedReason, Long> malformed,
      List<MalformedNote> notes) {
    this.words = words;
    this.frames = frames;
    this.firstPackets = firstPackets;
    this.durationsNs = durationsNs;
    this.addresses = addresses;
    this.skippedGaps = skippedGaps;
    this.malformed = Map.copyOf(malformed);
    this.notes = List.copyOf(notes);
  }

  static long frameWord(long offset, int capturedBytes, int flags) {
    return (offset << FRAME_SHIFT) | ((long) capturedBytes << CAPTURED_SHIFT) | flags;
  }

  static long frameOffset(long frameWord) {
    return frameWord >>> FRAME_SHIFT;
  }

  static int capturedBytes(long frameWord) {
    return (int) (frameWord >>> CAPTURED_SHIFT) & 0xFFFF;
  }

  static int flags(long frameWord) {
    return (int) frameWord & 0xFF;
  }

  static long wireWord(long wireBytes, int linkType) {
    return (wireBytes << Integer.SIZE) | ((long) linkType << Short.SIZE);
  }

  static int wireBytes(long wireWord) {
    return (int) (wireWord >>> Integer.SIZE);
  }

  static int linkType(long wireWord) {
    return (int) wireWord >>> Short.SIZE;
  }

  /** One of the two halves of a packet's addresses. */
  static int address(AddressClass kind, int number) {
    return (kind.number << CLASS_SHIFT) | number;
  }

  static AddressClass kind(int address) {
    return AddressClass.ALL[address >>> CLASS_SHIFT];
  }

  static int number(int address) {
    return address & NUMBER_MASK;
  }

  int count() {
    return durationsNs.length;
  }

  /** The first packet of a capture; of the number behind the last one, the end of all. */
  int firstPacket(int template) {
    return firstPackets[template];
  }

  long durationNs(int template) {
    return durationsNs[template];
  }

  double meanPackets() {
    return firstPackets[count()] / (double) count();
  }

  double meanDurationNs() {
    return Arrays.stream(durationsNs).average().orElseThrow();
  }

  /** By the numbers of classes. */
  int[] addresses() {
    return addresses;
  }

  long skippedGaps() {
    return skippedGaps;
  }

  MemorySegment frames() {
    return frames;
  }

  /** Word so and so of a packet. */
  long word(int packet, int word) {
    return words[packet * PACKET_WORDS + word];
  }

  Map<MalformedReason, Long> malformed() {
    return malformed;
  }

  List<MalformedNote> notes() {
    return notes;
  }
}
