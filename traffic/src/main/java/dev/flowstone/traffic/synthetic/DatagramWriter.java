// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

/**
 * Writes talks without a state: UDP datagrams, whose first eight bytes of payload differ from
 * packet to packet as encrypted ones do, and ICMP echoes, numbered.
 */
final class DatagramWriter extends FrameWriter {
  static final int HEADER_BYTES = 8;
  static final int HEADER_WORDS = HEADER_BYTES / Integer.BYTES;

  /** So many bytes of a payload are its own; none is shorter. */
  static final int SMALLEST_PAYLOAD_BYTES = Long.BYTES;

  private static final int ICMP_CHECKSUM_OFFSET = 2;
  private static final int ICMP_NUMBER_OFFSET = 6;
  private static final long SCATTER = 0x9E37_79B9_7F4A_7C15L;

  DatagramWriter(FlowBlocks blocks, FrameSlots slots, PacketClock clock, FlowSizes sizes) {
    super(blocks, slots, clock, sizes);
  }

  @Override
  int talk(int block, int mostPackets, long limitNs) {
    long shape = blocks.shape(block);
    int full = TalkShape.fullBytes(shape);
    int turnLeft = blocks.turnLeft(block);
    long number = blocks.sequences(block);
    int written = 0;
    do {
      long bits = clock.bits();
      if (turnLeft == 0) {
        turnLeft = PacketBits.turns(bits, TalkShape.mostTurns(shape));
        if (TalkShape.answererSeen(shape)) {
          int more = TalkShape.jitter(shape) ? PacketBits.jitter(bits) : 0;
          int length = TalkShape.answerBytes(shape) + more;
          write(block, FlowBlocks.ANSWERER, shape, number, length, bits);
          written++;
        }
      } else if (!TalkShape.talkerSeen(shape)) {
        turnLeft = 0;
      } else {
        number++;
        boolean partial = PacketBits.isPartial(bits, TalkShape.partOf256(shape));
        int length =
            partial
                ? SMALLEST_PAYLOAD_BYTES + PacketBits.below(bits, full - SMALLEST_PAYLOAD_BYTES + 1)
                : full;
        write(block, FlowBlocks.TALKER, shape, number, length, bits);
        turnLeft--;
        written++;
      }
    } while (written < mostPackets && clock.nowNs() < limitNs);
    blocks.left(block, blocks.packetsLeft(block) - written, turnLeft);
    blocks.sequences(block, number);
    return written;
  }

  private void write(int block, int side, long shape, long number, int payloadBytes, long bits) {
    int bytes = HEADER_BYTES + payloadBytes;
    int offset = TalkShape.transportOffset(shape);
    int transport = FlowBlocks.transport(block, side, offset);
    long sums = blocks.sums(block, side);
    long content = bits * SCATTER;
    length(transport, shape, HeaderSums.ip(sums), bytes);
    blocks.word(transport + 1, content);
    long sum =
        HeaderSums.transport(sums)
            + Checksums.sum(content)
            + Checksums.payload(payloadBytes - SMALLEST_PAYLOAD_BYTES);
    if (TalkShape.isEcho(shape)) {
      int shortNumber = (int) number & 0xFFFF;
      // Only over IPv6 the checksum covers a pseudo header, and with it the length.
      long length = TalkShape.ipv6(shape) ? bytes : 0;
      blocks.twoBytes(transport, ICMP_NUMBER_OFFSET, shortNumber);
      blocks.twoBytes(transport, ICMP_CHECKSUM_OFFSET, Checksums.of(sum + shortNumber + length));
    } else {
      // The length counts twice: in the pseudo header and in the header.
      int checksum = Short.toUnsignedInt(Checksums.ofUdp(sum + 2L * bytes));
      blocks.lowerInt(transport, (bytes << Short.SIZE) | checksum);
    }
    send(block, side, offset, bytes);
  }
}
