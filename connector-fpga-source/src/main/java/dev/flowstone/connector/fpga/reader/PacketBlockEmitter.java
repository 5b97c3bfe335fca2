// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.connector.fpga.rings.RingRun;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.offheap.ring.RingIdentity;
import dev.flowstone.offheap.ring.RingProgress;
import org.apache.flink.api.connector.source.SourceOutput;

/** Rings of packet records: a run becomes a {@link PacketBlock} on the ring's memory. */
final class PacketBlockEmitter implements RunEmitter<PacketBlock> {
  private static final long NS_PER_MS = 1_000_000;

  private final long stream;

  /** Ring of each key group, for the ring opened last. */
  private byte[] keyGroupTable = new byte[0];

  private int tableRingCount;

  PacketBlockEmitter(long stream) {
    this.stream = stream;
  }

  @Override
  public int emit(
      RingIdentity identity, RingRun run, PacketLoss lossBefore, SourceOutput<PacketBlock> output) {
    PacketBlockOrigin origin =
        new PacketBlockOrigin(
            stream, identity.incarnation(), run.position(), run.timeBaseNs(), run.isClockTrusted());
    PacketBlock block =
        PacketBlock.borrowed(
            origin, run.slots(), run.offsetBytes(), run.count(), lossBefore, run.loan());
    output.collect(block, Math.floorDiv(block.lastTimeNs(), NS_PER_MS));
    return 1;
  }

  @Override
  public void emitLoss(
      RingProgress at, PacketLoss loss, long timeNs, SourceOutput<PacketBlock> output) {
    PacketBlockOrigin origin =
        new PacketBlockOrigin(
            stream, at.incarnation(), at.position(), timeNs, at.time().isTrusted());
    output.collect(PacketBlock.empty(origin, loss), Math.floorDiv(timeNs, NS_PER_MS));
  }

  @Override
  public int strayKeyGroup(RingIdentity identity, RingRun run) {
    int keyGroups = identity.maxParallelism();
    if (keyGroupTable.length != keyGroups || tableRingCount != identity.ringCount()) {
      tableRingCount = identity.ringCount();
      keyGroupTable = KeyGroups.ringTable(keyGroups, tableRingCount);
    }
    int flowHash = PacketRecord.flowHash(run.slots(), run.offsetBytes());
    int keyGroup = KeyGroups.keyGroup(flowHash, keyGroups);
    return Byte.toUnsignedInt(keyGroupTable[keyGroup]) == StreamNumber.ring(stream)
        ? NOT_STRAY
        : keyGroup;
  }
}
