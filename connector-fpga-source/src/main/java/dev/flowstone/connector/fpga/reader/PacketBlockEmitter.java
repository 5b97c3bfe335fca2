// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.connector.fpga.rings.OpenRing;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketRecord;

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
  public PacketBlock run(OpenRing open, long lostBefore) {
    long position = open.runPosition();
    return PacketBlock.of(
        origin(open, position),
        open.slots(),
        open.offsetBytes(position),
        open.runCount(),
        lostBefore);
  }

  @Override
  public PacketBlock lossAlone(OpenRing open, long lostBefore) {
    return PacketBlock.empty(origin(open, open.progress().position()), lostBefore);
  }

  private PacketBlockOrigin origin(OpenRing open, long position) {
    return new PacketBlockOrigin(
        ring, open.incarnation(), position, open.timeBaseNs(), open.isClockTrusted());
  }

  @Override
  public long timeMs(PacketBlock block) {
    return Math.floorDiv(block.lastTimeNs(), NS_PER_MS);
  }

  @Override
  public boolean isStray(OpenRing open) {
    int keyGroups = open.maxParallelism();
    if (keyGroupTable.length != keyGroups || tableRingCount != open.ringCount()) {
      tableRingCount = open.ringCount();
      keyGroupTable = KeyGroups.ringTable(keyGroups, tableRingCount);
    }
    int flowHash = PacketRecord.flowHash(open.slots(), open.offsetBytes(open.runPosition()));
    return Byte.toUnsignedInt(keyGroupTable[KeyGroups.keyGroup(flowHash, keyGroups)]) != ring;
  }
}
