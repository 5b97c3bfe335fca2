// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.lang.foreign.MemorySegment;

/**
 * What the packets of talks need, flow by flow, each in one block of five cache lines: most flows
 * are cold when their turn comes, and every line that is fetched costs more than the work on it.
 *
 * <p>A flow has two sides: the talker sends some packets in a row, its turn, and the answerer then
 * one. A block counts the packets until something else happens, for which its {@link Flow} is
 * asked.
 *
 * <pre>
 *   word 0 | sequences   the next of the talker in the upper half, of the answerer in the lower
 *        1 | packetsLeft packets of the talk that are still to come
 *        2 | turnLeft    packets that the talker sends before the next answer
 *        3 | shape       {@link TalkShape}
 *        4 | gaps        {@link FlowGaps} between the packets of both sides
 *        7 | 0
 *        8 | talker      template in ten words, {@link FlowTally} in six
 *       24 | answerer    likewise
 * </pre>
 */
final class FlowBlocks {
  static final int TALKER = 0;
  static final int ANSWERER = 1;

  private static final int SEQUENCES = 0;
  private static final int PACKETS_LEFT = 1;
  private static final int TURN_LEFT = 2;
  private static final int SHAPE = 3;
  private static final int GAPS = 4;
  private static final int SIDES = 8;
  private static final int TEMPLATE_WORDS = FrameTemplate.BYTES / Long.BYTES;
  private static final int SIDE_WORDS = TEMPLATE_WORDS + FlowTally.WORDS;
  private static final int WORDS = SIDES + 2 * SIDE_WORDS;

  private static final int CACHE_LINE_WORDS = 8;

  /** The head of an array takes two words, so that large arrays have blocks that fill lines. */
  private static final int FIRST = CACHE_LINE_WORDS - 2;

  /** Two copies below 64 bytes are compiled in place, where one above it is a call. */
  private static final int HALF_TEMPLATE_BYTES = FrameTemplate.BYTES / 2;

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
    return block + SIDES + side * SIDE_WORDS + TEMPLATE_WORDS;
  }

  private static long template(int block, int side) {
    return (block + SIDES + (long) side * SIDE_WORDS) * Long.BYTES;
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

  FrameTemplate newTemplate(int block, int side) {
    return new FrameTemplate(bytes.asSlice(template(block, side), FrameTemplate.BYTES));
  }

  void templateShort(int block, int side, int offset, int value) {
    bytes.set(FrameTemplate.SHORT, template(block, side) + offset, (short) value);
  }

  void copyTemplate(int block, int side, MemorySegment frames, long offset) {
    long template = template(block, side);
    MemorySegment.copy(bytes, template, frames, offset, HALF_TEMPLATE_BYTES);
    MemorySegment.copy(
        bytes,
        template + HALF_TEMPLATE_BYTES,
        frames,
        offset + HALF_TEMPLATE_BYTES,
        HALF_TEMPLATE_BYTES);
  }

  /** 0 when the flow is up to something else than a talk. */
  int packetsLeft(int block) {
    return (int) words[block + PACKETS_LEFT];
  }

  void packetsLeft(int block, int packets) {
    words[block + PACKETS_LEFT] = packets;
  }

  int turnLeft(int block) {
    return (int) words[block + TURN_LEFT];
  }

  void turnLeft(int block, int packets) {
    words[block + TURN_LEFT] = packets;
  }

  long shape(int block) {
    return words[block + SHAPE];
  }

  void shape(int block, long shape) {
    words[block + SHAPE] = shape;
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
