// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.connector.fpga.rings.RingRun;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.offheap.ring.RingIdentity;
import dev.flowstone.offheap.ring.RingProgress;

/** Rings of packet records: a run becomes a {@link PacketBlock} on the ring's memory. */
final class PacketBlockEmitter implements RunEmitter<PacketBlock> {
  private static final long NS_PER_MS = 1_000_000;

  private final int ring;

  /** Ring of each key group, for the ring opened last. */
  private byte[] keyGroupTable = new byte[0];

  private int tableRingCount;

  PacketBlockEmitter(int ring) {
    this.ring = ring;
  }

  @Override
  public PacketBlock run(RingIdentity identity, RingRun run, long lostBefore) {
    PacketBlockOrigin origin =
        new PacketBlockOrigin(
            ring, identity.incarnation(), run.position(), run.timeBaseNs(), run.isClockTrusted());
    return PacketBlock.of(origin, run.slots(), run.offsetBytes(), run.count(), lostBefore);
  }

  @Override
  public PacketBlock lossAlone(RingProgress at, long lostBefore) {
    PacketBlockOrigin origin =
        new PacketBlockOrigin(
            ring, at.incarnation(), at.position(), at.timeBaseNs(), at.clockTrusted());
    return PacketBlock.empty(origin, lostBefore);
  }

  @Override
  public long timeMs(PacketBlock block) {
    return Math.floorDiv(block.lastTimeNs(), NS_PER_MS);
  }

  @Override
  public boolean isStray(RingIdentity identity, RingRun run) {
    int keyGroups = identity.maxParallelism();
    if (keyGroupTable.length != keyGroups || tableRingCount != identity.ringCount()) {
      tableRingCount = identity.ringCount();
      keyGroupTable = KeyGroups.ringTable(keyGroups, tableRingCount);
    }
    int flowHash = PacketRecord.flowHash(run.slots(), run.offsetBytes());
    return Byte.toUnsignedInt(keyGroupTable[KeyGroups.keyGroup(flowHash, keyGroups)]) != ring;
  }
}
