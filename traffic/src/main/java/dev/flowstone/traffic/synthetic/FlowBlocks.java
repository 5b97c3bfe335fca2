// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * What the packets of talks need, place by place, each in one block of six cache lines: most flows
 * are cold when their turn comes, and every line that is fetched costs more than the work on it.
 *
 * <p>A flow has two sides: the talker sends some packets in a row, its turn, and the answerer then
 * one. A block counts the packets until something else happens, for which its {@link Flow} is
 * asked.
 *
 * <pre>
 *   word 0 | sequences   the next of the talker in the upper half, of the answerer in the lower
 *        1 | packetsLeft packets of the talk that are still to come, in the upper half
 *          | turnLeft    packets that the talker sends before the next answer
 *        2 | ticks       what the talker's timestamps are ahead of the clock, and the answerer's
 *        3 | shape       {@link TalkShape}
 *        4 | gaps        {@link FlowGaps} between the packets of both sides
 *        7 | late        a segment that comes {@link Late}
 *        8 | talker      {@link HeaderSums} in one word, frame in 13, {@link FlowTally} in six
 *       28 | answerer    likewise
 * </pre>
 *
 * <p>A frame is what its side's latest packet began with, shifted so that the transport header
 * begins with a word: so what changes is written into words of the array, and all is copied once.
 */
final class FlowBlocks {
  static final int TALKER = 0;
  static final int ANSWERER = 1;

  private static final int SEQUENCES = 0;
  private static final int LEFT = 1;
  private static final int TICKS = 2;
  private static final int SHAPE = 3;
  private static final int GAPS = 4;
  private static final int LATE = 7;
  private static final int SIDES = 8;
  private static final int FRAME = 1;
  private static final int FRAME_WORDS = FrameTemplate.BYTES / Long.BYTES;
  private static final int TALLY = FRAME + FRAME_WORDS;
  private static final int SIDE_WORDS = TALLY + FlowTally.WORDS;
  private static final int WORDS = SIDES + 2 * SIDE_WORDS;

  private static final int CACHE_LINE_WORDS = 8;

  /** The head of an array takes two words, so that large arrays have blocks that fill lines. */
  private static final int FIRST = CACHE_LINE_WORDS - 2;

  /** A frame's bytes stand in the array as they will in memory. */
  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

  private static final long INT_MASK = 0xFFFF_FFFFL;
  private static final long SHORT_MASK = 0xFFFFL;

  private final long[] words;
  private final MemorySegment bytes;

  FlowBlocks(int flows) {
    words = new long[FIRST + flows * WORDS];
    bytes = MemorySegment.ofArray(words);
    for (int rank = 0; rank < flows; rank++) {
      resetTallies(block(rank));
    }
  }

  /** Index of the first word of a flow's block; what the other methods want. */
  static int block(int rank) {
    return FIRST + rank * WORDS;
  }

  /** Reads a word of every cache line of a block, so that all of it is on its way. */
  long touch(int block) {
    long sum = 0;
    for (int i = 0; i < WORDS; i += CACHE_LINE_WORDS) {
      sum += words[block + i];
    }
    return sum;
  }

  private static int tally(int block, int side) {
    return block + SIDES + side * SIDE_WORDS + TALLY;
  }

  /** Index of the first word of a side's frame. */
  static int frame(int block, int side) {
    return block + SIDES + side * SIDE_WORDS + FRAME;
  }

  /** Where a frame starts in its first word, for a transport header at this offset. */
  static int shiftBytes(int transportOffset) {
    return -transportOffset & (Long.BYTES - 1);
  }

  /** Index of the word that a side's transport header begins with. */
  static int transport(int block, int side, int transportOffset) {
    return frame(block, side) + (transportOffset + Long.BYTES - 1) / Long.BYTES;
  }

  void resetTallies(int block) {
    FlowTally.reset(words, tally(block, TALKER));
    FlowTally.reset(words, tally(block, ANSWERER));
    FlowGaps.reset(words, block + GAPS);
  }

  void addToTallies(int block, int side, long timeNs, int wireBytes) {
    FlowTally.add(words, tally(block, side), timeNs, wireBytes);
    FlowGaps.add(words, block + GAPS, timeNs);
  }

  long packets(int block, int side) {
    return FlowTally.packets(words, tally(block, side));
  }

  /** What one side sent. */
  TallyFigures figures(int block, int side) {
    return FlowTally.figures(words, tally(block, side));
  }

  /** What both sides sent. */
  TallyFigures figures(int block) {
    TallyFigures talker = figures(block, TALKER);
    TallyFigures answerer = figures(block, ANSWERER);
    return new TallyFigures(
        talker.packets() + answerer.packets(),
        talker.wireBytes() + answerer.wireBytes(),
        Math.min(talker.firstNs(), answerer.firstNs()),
        FlowGaps.lastNs(words, block + GAPS),
        FlowGaps.minGapNs(words, block + GAPS),
        FlowGaps.maxGapNs(words, block + GAPS));
  }

  /** Lets a side's frame be written from the link header on. */
  void beginFrame(int block, int side, int transportOffset, FrameTemplate template) {
    int frame = frame(block, side);
    Arrays.fill(words, frame, frame + FRAME_WORDS, FrameTemplate.PAYLOAD_LONG);
    template.goOn(bytes, frame * (long) Long.BYTES + shiftBytes(transportOffset));
  }

  /** Lets a side's frame be written from the IP header on. */
  void beginIp(int block, int side, FlowTraits traits, FrameTemplate template) {
    int transport = transport(block, side, traits.transportOffset());
    template.goOn(bytes, transport * (long) Long.BYTES - traits.ipBytes());
  }

  /** Sets eight bytes of a frame. */
  void word(int index, long value) {
    words[index] = Long.reverseBytes(value);
  }

  /** Sets the last four of eight bytes of a frame. */
  void lowerInt(int index, int value) {
    words[index] = (words[index] & INT_MASK) | ((long) Integer.reverseBytes(value) << Integer.SIZE);
  }

  /** Sets the first four of eight bytes of a frame. */
  void upperInt(int index, int value) {
    words[index] = (words[index] & ~INT_MASK) | Integer.toUnsignedLong(Integer.reverseBytes(value));
  }

  /** Sets two of eight bytes of a frame. */
  void twoBytes(int index, int offset, int value) {
    int shift = offset * Byte.SIZE;
    long reversed = Short.toUnsignedLong(Short.reverseBytes((short) value));
    words[index] = (words[index] & ~(SHORT_MASK << shift)) | (reversed << shift);
  }

  /** {@link HeaderSums} of a side. */
  long sums(int block, int side) {
    return words[block + SIDES + side * SIDE_WORDS];
  }

  void sums(int block, int side, long sums) {
    words[block + SIDES + side * SIDE_WORDS] = sums;
  }

  void copyFrame(int block, int side, MemorySegment frames, long offset) {
    MemorySegment.copy(words, frame(block, side), frames, WORD, offset, FRAME_WORDS);
  }

  /** 0 when the flow is up to something else than a talk. */
  int packetsLeft(int block) {
    return (int) (words[block + LEFT] >>> Integer.SIZE);
  }

  int turnLeft(int block) {
    return (int) words[block + LEFT];
  }

  void left(int block, int packets, int turn) {
    words[block + LEFT] = ((long) packets << Integer.SIZE) | turn;
  }

  long ticks(int block) {
    return words[block + TICKS];
  }

  void ticks(int block, long ticks) {
    words[block + TICKS] = ticks;
  }

  long shape(int block) {
    return words[block + SHAPE];
  }

  void shape(int block, long shape) {
    words[block + SHAPE] = shape;
  }

  long late(int block) {
    return words[block + LATE];
  }

  void late(int block, long late) {
    words[block + LATE] = late;
  }

  long sequences(int block) {
    return words[block + SEQUENCES];
  }

  void sequences(int block, long sequences) {
    words[block + SEQUENCES] = sequences;
  }

  /** Both sequence numbers as one side's packets show them: its own first, then the other's. */
  static long seenFrom(int side, long sequences) {
    return Long.rotateLeft(sequences, side * Integer.SIZE);
  }

  /** Moves one side's sequence number on; it starts over behind 2^32 - 1. */
  static long advance(int side, long sequences, int bytes) {
    long own = seenFrom(side, sequences) + (Integer.toUnsignedLong(bytes) << Integer.SIZE);
    return Long.rotateRight(own, side * Integer.SIZE);
  }
}
