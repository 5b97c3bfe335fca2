// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

/**
 * What all packets of one talk have in common, packed into one word.
 *
 * <pre>
 *   63   62   61     60             59           58          54              47          39         31            15          0
 *   | echo | IPv6 | jitter | answererSeen | talkerSeen | headerWords | transportOffset | partOf256 | mostTurns | answerBytes | fullBytes |
 * </pre>
 */
final class TalkShape {
  private static final int ANSWER_SHIFT = 16;
  private static final int TURNS_SHIFT = 32;
  private static final int PART_SHIFT = 40;
  private static final int OFFSET_SHIFT = 48;
  private static final int HEADER_SHIFT = 55;
  private static final int TALKER_SEEN_SHIFT = 59;
  private static final int ANSWERER_SEEN_SHIFT = 60;
  private static final int JITTER_SHIFT = 61;
  private static final int IPV6_SHIFT = 62;
  private static final int ECHO_SHIFT = 63;
  private static final int SHORT_MASK = 0xFFFF;
  private static final int BYTE_MASK = 0xFF;
  private static final int OFFSET_MASK = 0x7F;
  private static final int HEADER_MASK = 0xF;

  private TalkShape() {}

  /**
   * A talk of which both sides are seen, with nothing that varies.
   *
   * @param fullBytes payload of a talker's packet that is full
   * @param answerBytes payload of an answer; of TCP, whose answers have none, how many ticks old
   *     the timestamps are that it echoes
   * @param mostTurns packets that the talker sends before an answer, at most
   * @param partOf256 how many of 256 of the talker's packets are not full
   * @param transportOffset where the transport header is in a frame
   * @param headerWords length of that header in words of 32 bits
   */
  static long pack(
      int fullBytes,
      int answerBytes,
      int mostTurns,
      int partOf256,
      int transportOffset,
      int headerWords) {
    assert Math.max(fullBytes, answerBytes) <= SHORT_MASK;
    assert Math.max(mostTurns, partOf256) <= BYTE_MASK;
    assert transportOffset <= OFFSET_MASK && headerWords <= HEADER_MASK;
    return fullBytes
        | ((long) answerBytes << ANSWER_SHIFT)
        | ((long) mostTurns << TURNS_SHIFT)
        | ((long) partOf256 << PART_SHIFT)
        | ((long) transportOffset << OFFSET_SHIFT)
        | ((long) headerWords << HEADER_SHIFT)
        | bit(true, TALKER_SEEN_SHIFT)
        | bit(true, ANSWERER_SEEN_SHIFT);
  }

  static long withSeen(long shape, boolean talker, boolean answerer) {
    return (shape & ~(bit(true, TALKER_SEEN_SHIFT) | bit(true, ANSWERER_SEEN_SHIFT)))
        | bit(talker, TALKER_SEEN_SHIFT)
        | bit(answerer, ANSWERER_SEEN_SHIFT);
  }

  /** Whether the window of the answerer, or the length of its answers, varies. */
  static long withJitter(long shape, boolean jitters) {
    return shape | bit(jitters, JITTER_SHIFT);
  }

  static long withIpv6(long shape, boolean ipv6) {
    return shape | bit(ipv6, IPV6_SHIFT);
  }

  /** Whether it is ICMP and not UDP or TCP. */
  static long withEcho(long shape, boolean echo) {
    return shape | bit(echo, ECHO_SHIFT);
  }

  private static long bit(boolean set, int shift) {
    return set ? 1L << shift : 0;
  }

  static int fullBytes(long shape) {
    return (int) shape & SHORT_MASK;
  }

  static int answerBytes(long shape) {
    return (int) (shape >>> ANSWER_SHIFT) & SHORT_MASK;
  }

  static int echoTicks(long shape) {
    return answerBytes(shape);
  }

  static int mostTurns(long shape) {
    return (int) (shape >>> TURNS_SHIFT) & BYTE_MASK;
  }

  static int partOf256(long shape) {
    return (int) (shape >>> PART_SHIFT) & BYTE_MASK;
  }

  static int transportOffset(long shape) {
    return (int) (shape >>> OFFSET_SHIFT) & OFFSET_MASK;
  }

  static int headerWords(long shape) {
    return (int) (shape >>> HEADER_SHIFT) & HEADER_MASK;
  }

  static boolean talkerSeen(long shape) {
    return ((shape >>> TALKER_SEEN_SHIFT) & 1) != 0;
  }

  static boolean answererSeen(long shape) {
    return ((shape >>> ANSWERER_SEEN_SHIFT) & 1) != 0;
  }

  static boolean jitter(long shape) {
    return ((shape >>> JITTER_SHIFT) & 1) != 0;
  }

  static boolean ipv6(long shape) {
    return ((shape >>> IPV6_SHIFT) & 1) != 0;
  }

  static boolean isDatagram(long shape) {
    return headerWords(shape) == DatagramWriter.HEADER_WORDS;
  }

  static boolean isEcho(long shape) {
    return shape < 0;
  }
}
