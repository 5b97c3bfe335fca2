// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.util.SplittableRandom;

/** The flows' packets: one flow after another is drawn by its share and sends some in a row. */
final class MixTraffic {
  private final Flow[] flows;
  private final FlowBlocks blocks;
  private final FrameSlots slots;
  private final PacketClock clock;
  private final Trains trains;
  private final TalkWriter talks;
  private int trainLeft;

  MixTraffic(
      SyntheticOptions options,
      Flow[] flows,
      FlowBlocks blocks,
      FrameSlots slots,
      SplittableRandom random) {
    this.flows = flows;
    this.blocks = blocks;
    this.slots = slots;
    clock = new PacketClock(options, random.split());
    trains = new Trains(options, blocks, random.split());
    talks = new TalkWriter(blocks, slots, clock);
  }

  /** Writes all packets that are due before the limit, as far as there is room. */
  void write(long limitNs) {
    while (clock.nowNs() < limitNs && slots.room() > 0) {
      if (trainLeft == 0) {
        trains.next();
        trainLeft = trains.packets();
      }
      trainLeft -= writeSome(Math.min(trainLeft, slots.room()), limitNs);
    }
  }

  private int writeSome(int mostPackets, long limitNs) {
    int rank = trains.rank();
    int block = FlowBlocks.block(rank);
    int left = blocks.packetsLeft(block);
    if (left == 0) {
      writeControl(flows[rank]);
      return 1;
    }
    int written = talks.write(block, Math.min(mostPackets, left), limitNs);
    if (written == left) {
      flows[rank].talkEnded();
    }
    return written;
  }

  private void writeControl(Flow flow) {
    long timeNs = clock.nowNs();
    slots.append(timeNs, flow.writeControl(slots.memory(), slots.offset(), timeNs));
    clock.advance();
  }
}
