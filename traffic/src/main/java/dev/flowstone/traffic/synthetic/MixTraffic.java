// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

/**
 * The flows' packets: one place after another is drawn by its share and sends some in a row. For
 * each flow of a place that began there is one of a single packet, between two such trains.
 */
final class MixTraffic {
  private final Flow[] flows;
  private final FlowBlocks blocks;
  private final FlowLedger ledger;
  private final FrameSlots slots;
  private final PacketClock clock;
  private final Trains trains;
  private final SinglePackets singles;
  private final SegmentWriter segments;
  private final DatagramWriter datagrams;
  private final boolean hasSingles;
  private int trainLeft;

  MixTraffic(
      Flow[] flows, FlowSetting setting, FrameSlots slots, Trains trains, SinglePackets singles) {
    this.flows = flows;
    this.slots = slots;
    this.trains = trains;
    this.singles = singles;
    blocks = setting.blocks();
    ledger = setting.ledger();
    clock = setting.clock();
    hasSingles = !setting.sizes().orderly();
    segments = setting.segments();
    datagrams = setting.datagrams();
  }

  /** Writes all packets that are due before the limit, as far as there is room. */
  void write(long limitNs) {
    while (clock.nowNs() < limitNs && slots.room() > 0) {
      if (hasSingles && trainLeft == 0 && singles.packets() < ledger.livesBegun()) {
        singles.write();
      } else {
        writeOfTrain(limitNs);
      }
    }
  }

  private void writeOfTrain(long limitNs) {
    if (trainLeft == 0) {
      trains.next();
      trainLeft = trains.packets();
    }
    int block = FlowBlocks.block(trains.rank());
    if (blocks.packetsLeft(block) == 0 && flows[trains.rank()].writeOther()) {
      trainLeft--;
      return;
    }
    int most = Math.min(Math.min(trainLeft, slots.room()), blocks.packetsLeft(block));
    FrameWriter writer = TalkShape.isDatagram(blocks.shape(block)) ? datagrams : segments;
    trainLeft -= writer.talk(block, most, limitNs);
  }
}
