// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

/** Writes the frames of flows in their blocks, sends them, and notes them in their tallies. */
abstract sealed class FrameWriter permits SegmentWriter, DatagramWriter {
  /** How many words before the transport header, and where in them. */
  private static final int IPV6_LENGTH_WORD = 5;

  private static final int IPV6_LENGTH_OFFSET = 4;
  private static final int IPV4_LENGTH_WORD = 3;
  private static final int IPV4_CHECKSUM_WORD = 2;
  private static final int LAST_TWO = 6;

  final FlowBlocks blocks;
  private final FrameSlots slots;
  final PacketClock clock;
  private final int smallestFrameBytes;

  FrameWriter(FlowBlocks blocks, FrameSlots slots, PacketClock clock, FlowSizes sizes) {
    this.blocks = blocks;
    this.slots = slots;
    this.clock = clock;
    smallestFrameBytes = sizes.smallestFrameBytes();
  }

  /**
   * Writes packets of the talk of the flow with this block, at least one and at most so many and no
   * more than the talk has left, until the time limit; returns how many.
   */
  abstract int talk(int block, int mostPackets, long limitNs);

  /** Lets the IP header of a side's frame say that so many bytes follow. */
  final void length(int transport, long shape, int ipSum, int transportBytes) {
    if (TalkShape.ipv6(shape)) {
      blocks.twoBytes(transport - IPV6_LENGTH_WORD, IPV6_LENGTH_OFFSET, transportBytes);
    } else {
      int length = FrameTemplate.IPV4_BYTES + transportBytes;
      blocks.twoBytes(transport - IPV4_LENGTH_WORD, LAST_TWO, length);
      blocks.twoBytes(transport - IPV4_CHECKSUM_WORD, LAST_TWO, Checksums.of(ipSum + length));
    }
  }

  /** The headers stand; the frame goes out and the clock on to the next one. */
  final void send(int block, int side, int transportOffset, int transportBytes) {
    int wireBytes = Math.max(smallestFrameBytes, transportOffset + transportBytes);
    blocks.copyFrame(block, side, slots.memory(), slots.offset());
    blocks.addToTallies(block, side, clock.nowNs(), wireBytes);
    slots.append(FlowBlocks.shiftBytes(transportOffset), clock.nowNs(), wireBytes);
    clock.advance();
  }
}
