// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import dev.flowstone.connector.fpga.rings.OpenRing;
import dev.flowstone.connector.fpga.rings.RingRun;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.offheap.ring.RingIdentity;
import dev.flowstone.offheap.ring.RingProgress;
import dev.flowstone.offheap.ring.RingReader;
import dev.flowstone.offheap.ring.RingTime;

/** A ring that says it has 2^slotsLog2 slots. */
record SizedRing(OpenRing ring, int slotsLog2) implements OpenRing {
  @Override
  public RingIdentity identity() {
    RingIdentity is = ring.identity();
    return new RingIdentity(
        is.ring(),
        is.ringCount(),
        is.incarnation(),
        is.stream(),
        is.content(),
        slotsLog2,
        is.clock(),
        is.maxParallelism(),
        is.createdNs(),
        is.tapName());
  }

  @Override
  public RingReader.Poll poll(int mostPackets) {
    return ring.poll(mostPackets);
  }

  @Override
  public RingRun run() {
    return ring.run();
  }

  @Override
  public PacketLoss takeUnreportedLoss() {
    return ring.takeUnreportedLoss();
  }

  @Override
  public long packetsBeforeStart() {
    return ring.packetsBeforeStart();
  }

  @Override
  public long unexplainedPackets() {
    return ring.unexplainedPackets();
  }

  @Override
  public boolean isMissedUnknown() {
    return ring.isMissedUnknown();
  }

  @Override
  public long position() {
    return ring.position();
  }

  @Override
  public RingTime time() {
    return ring.time();
  }

  @Override
  public RingProgress progress() {
    return ring.progress();
  }

  @Override
  public long backlogSlots() {
    return ring.backlogSlots();
  }

  @Override
  public long untoldPackets() {
    return ring.untoldPackets();
  }

  @Override
  public void release(long position) {
    ring.release(position);
  }

  @Override
  public boolean isHeld() {
    return ring.isHeld();
  }

  @Override
  public boolean isReplaced() {
    return ring.isReplaced();
  }

  @Override
  public void showLife() {
    ring.showLife();
  }

  @Override
  public void leave() {
    ring.leave();
  }

  @Override
  public void close() {
    ring.close();
  }
}
