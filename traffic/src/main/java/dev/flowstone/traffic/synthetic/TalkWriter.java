// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.lang.foreign.MemorySegment;

/**
 * Writes packets of a talk, several of one flow in a row. All kinds of flows take this one path:
 * what differs between them is in their blocks.
 */
final class TalkWriter {
  private final FlowBlocks blocks;
  private final FrameSlots slots;
  private final PacketClock clock;

  TalkWriter(FlowBlocks blocks, FrameSlots slots, PacketClock clock) {
    this.blocks = blocks;
    this.slots = slots;
    this.clock = clock;
  }

  /**
   * Writes packets of the flow with this block, at least one and at most so many and no more than
   * its talk has left, until the time limit; returns how many.
   */
  int write(int block, int mostPackets, long limitNs) {
    MemorySegment frames = slots.memory();
    long shape = blocks.shape(block);
    long advance = (long) TalkShape.advanceBytes(shape) << Integer.SIZE;
    int turnPackets = TalkShape.turnPackets(shape);
    int turnLeft = blocks.turnLeft(block);
    long sequences = blocks.sequences(block);
    int written = 0;
    do {
      int side = turnLeft > 0 ? FlowBlocks.TALKER : FlowBlocks.ANSWERER;
      turnLeft = turnLeft > 0 ? turnLeft - 1 : turnPackets;
      long offset = slots.offset();
      blocks.copyTemplate(block, side, frames, offset);
      // The other side's sequence number is what this one acknowledges.
      long words = FlowBlocks.seenFrom(side, sequences);
      frames.set(FrameTemplate.LONG, offset + TalkShape.sequenceOffset(shape), words);
      sequences += side == FlowBlocks.TALKER ? advance : 0;
      int wireBytes = TalkShape.wireBytes(shape, side);
      blocks.addToTallies(block, side, clock.nowNs(), wireBytes);
      slots.append(clock.nowNs(), wireBytes);
      clock.advance();
      written++;
    } while (written < mostPackets && clock.nowNs() < limitNs);
    blocks.turnLeft(block, turnLeft);
    blocks.sequences(block, sequences);
    blocks.packetsLeft(block, blocks.packetsLeft(block) - written);
    return written;
  }
}
