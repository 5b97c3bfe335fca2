// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

/**
 * Writes TCP: the segments of a talk and their acknowledgements, some segments late, as a link sees
 * them; and, asked by their flows, what opens and closes connections. While a segment is late, the
 * other side acknowledges no more than what came before it.
 */
final class SegmentWriter extends FrameWriter {
  static final int FIN = 0x01;
  static final int SYN = 0x02;
  static final int RST = 0x04;
  static final int PSH = 0x08;
  static final int ACK = 0x10;

  static final int HEADER_BYTES = 20;
  static final int HEADER_WORDS = HEADER_BYTES / Integer.BYTES;

  /** Two of no operation, then a timestamp option. */
  static final int TIMESTAMP_OPTION = 0x0101_080A;

  static final int TIMESTAMP_WORDS = 3;

  /** Largest segment 1460; selective acknowledgements; a window scale of 7. */
  static final int[] SYN_OPTIONS = {0x0204_05B4, 0x0101_0402, 0x0103_0307};

  private static final int PAYLOAD_WORD = 0x0101_0101 * FrameTemplate.PAYLOAD_BYTE;

  /** What stands there in other packets. */
  private static final int[] PAYLOAD = {PAYLOAD_WORD, PAYLOAD_WORD, PAYLOAD_WORD};

  private static final long SYN_OPTIONS_SUM = 0x0204_05B4L + 0x0101_0402L + 0x0103_0307L;

  /** A timestamp counts in 2^20 ns, about a millisecond. */
  private static final int TICK_SHIFT = 20;

  private static final int HEADER_WORDS_SHIFT = 28;
  private static final int FLAGS_SHIFT = 16;
  private static final long UPPER_MASK = ~0xFFFF_FFFFL;

  private final boolean mayBeLate;

  SegmentWriter(FlowBlocks blocks, FrameSlots slots, PacketClock clock, FlowSizes sizes) {
    super(blocks, slots, clock, sizes);
    mayBeLate = !sizes.orderly();
  }

  @Override
  int talk(int block, int mostPackets, long limitNs) {
    long shape = blocks.shape(block);
    int full = TalkShape.fullBytes(shape);
    int left = blocks.packetsLeft(block);
    int turnLeft = blocks.turnLeft(block);
    long late = blocks.late(block);
    int other = (int) blocks.sequences(block);
    int next = (int) (blocks.sequences(block) >>> Integer.SIZE);
    int mostLeft = left - mostPackets;
    do {
      long bits = clock.bits();
      if (late != Late.NONE && left == 1) {
        turnLeft = 1;
      }
      if (turnLeft == 0) {
        turnLeft = PacketBits.turns(bits, TalkShape.mostTurns(shape));
        if (TalkShape.answererSeen(shape)) {
          int seen = late == Late.NONE ? next : Late.sequence(late);
          int drop = TalkShape.jitter(shape) ? PacketBits.jitter(bits) : 0;
          write(block, FlowBlocks.ANSWERER, shape, numbers(other, seen), ACK, drop, 0);
          left--;
        }
      } else if (!TalkShape.talkerSeen(shape)) {
        next += turnLeft * full;
        turnLeft = 0;
      } else {
        boolean partial = PacketBits.isPartial(bits, TalkShape.partOf256(shape));
        int length = partial ? 1 + PacketBits.below(bits, full) : full;
        int sequence = next;
        if (late != Late.NONE) {
          late = Late.closer(late);
          if (Late.isDue(late) || left == 1) {
            sequence = Late.sequence(late);
            length = Late.payloadBytes(late);
            late = Late.NONE;
          } else {
            next += length;
          }
        } else {
          if (mayBeLate && PacketBits.isMisfortune(bits) && left > 1) {
            late = Late.segment(next, length, PacketBits.delay(bits));
            sequence += PacketBits.isMissing(bits) ? length : 0;
          }
          next = sequence + length;
        }
        int flags = length < full ? PSH | ACK : ACK;
        write(block, FlowBlocks.TALKER, shape, numbers(sequence, other), flags, 0, length);
        turnLeft--;
        left--;
      }
    } while (left > mostLeft && clock.nowNs() < limitNs);
    int written = blocks.packetsLeft(block) - left;
    blocks.left(block, left, turnLeft);
    blocks.late(block, late);
    blocks.sequences(block, numbers(next, other));
    return written;
  }

  /** Writes a packet outside a talk: only flags. */
  void control(int block, int side, int flags) {
    long numbers = FlowBlocks.seenFrom(side, blocks.sequences(block));
    if ((flags & SYN) != 0) {
      open(block, side, flags, numbers);
    } else {
      write(block, side, blocks.shape(block), numbers, flags, 0, 0);
    }
  }

  /** The word of a TCP header that has its length, its flags and the window. */
  static int flagsWord(int headerWords, int flags, int window) {
    return (headerWords << HEADER_WORDS_SHIFT) | (flags << FLAGS_SHIFT) | window;
  }

  private static long numbers(int sequence, int acknowledgement) {
    return ((long) sequence << Integer.SIZE) | Integer.toUnsignedLong(acknowledgement);
  }

  private void write(
      int block, int side, long shape, long numbers, int flags, int windowDrop, int payloadBytes) {
    int words = TalkShape.headerWords(shape);
    long times = words > HEADER_WORDS ? times(block, side, shape) : 0;
    int window = HeaderSums.window(blocks.sums(block, side)) - windowDrop;
    long covered = Checksums.payload(payloadBytes);
    int transportBytes = words * Integer.BYTES + payloadBytes;
    head(
        block,
        side,
        shape,
        numbers,
        flagsWord(words, flags, window),
        times,
        transportBytes,
        covered);
    send(block, side, TalkShape.transportOffset(shape), transportBytes);
  }

  /** Writes a SYN, whose header has more options. */
  private void open(int block, int side, int flags, long numbers) {
    long shape = blocks.shape(block);
    long known = (flags & ACK) != 0 ? -1 : UPPER_MASK;
    int plainWords = TalkShape.headerWords(shape);
    int words = plainWords + SYN_OPTIONS.length;
    long times = plainWords > HEADER_WORDS ? times(block, side, shape) & known : 0;
    int window = HeaderSums.window(blocks.sums(block, side));
    int flagsWord = flagsWord(words, flags, window);
    int transportBytes = words * Integer.BYTES;
    head(block, side, shape, numbers & known, flagsWord, times, transportBytes, SYN_OPTIONS_SUM);
    options(block, side, shape, SYN_OPTIONS);
    send(block, side, TalkShape.transportOffset(shape), transportBytes);
    options(block, side, shape, PAYLOAD);
  }

  /** Writes three words behind the header of a talk's packets. */
  private void options(int block, int side, long shape, int[] values) {
    int words = TalkShape.headerWords(shape);
    int transport = FlowBlocks.transport(block, side, TalkShape.transportOffset(shape));
    for (int i = 0; i < values.length; i++) {
      int index = transport + (words + i) / 2;
      if ((words + i) % 2 == 0) {
        blocks.upperInt(index, values[i]);
      } else {
        blocks.lowerInt(index, values[i]);
      }
    }
  }

  /**
   * Writes all that differs from packet to packet in the headers.
   *
   * @param times 0 without timestamps
   * @param coveredSum of what the checksum covers besides these headers
   */
  private void head(
      int block,
      int side,
      long shape,
      long numbers,
      int flagsWord,
      long times,
      int transportBytes,
      long coveredSum) {
    long sums = blocks.sums(block, side);
    int transport = FlowBlocks.transport(block, side, TalkShape.transportOffset(shape));
    length(transport, shape, HeaderSums.ip(sums), transportBytes);
    long sum =
        HeaderSums.transport(sums)
            + coveredSum
            + transportBytes
            + Checksums.sum(numbers)
            + Checksums.sum(times)
            + Integer.toUnsignedLong(flagsWord);
    blocks.lowerInt(transport, (int) (numbers >>> Integer.SIZE));
    blocks.word(transport + 1, (numbers << Integer.SIZE) | Integer.toUnsignedLong(flagsWord));
    // Behind the checksum stands the urgent pointer, which is 0.
    blocks.upperInt(transport + 2, Checksums.of(sum) << Short.SIZE);
    if (TalkShape.headerWords(shape) > HEADER_WORDS) {
      blocks.word(transport + 3, times);
    }
  }

  /** A side's time, and the other's as it last came here. */
  private long times(int block, int side, long shape) {
    int tick = (int) (clock.nowNs() >>> TICK_SHIFT);
    long ticks = FlowBlocks.seenFrom(side, blocks.ticks(block));
    int echo = (int) ticks + tick - TalkShape.echoTicks(shape);
    return numbers((int) (ticks >>> Integer.SIZE) + tick, echo);
  }
}
