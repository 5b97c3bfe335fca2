// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.model.PacketLoss;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What was written in the transaction under way. Has an entry for each stream that was written, so
 * never more than the transaction has messages.
 */
final class PacketContents implements TransactionContents<PacketBlock> {
  private record Stream(long number, long incarnation) {}

  private final Map<Stream, PacketBlock> losses = new LinkedHashMap<>();
  private long packets;

  @Override
  public void add(PacketBlock block) {
    PacketLoss missing = PacketLoss.inRing(block.count()).plus(block.lossBefore());
    if (missing.isNone()) {
      return;
    }
    packets += block.count();
    Stream stream = new Stream(block.stream(), block.incarnation());
    PacketBlock earlier = losses.get(stream);
    PacketLoss missingBefore = earlier == null ? PacketLoss.NONE : earlier.lossBefore();
    losses.put(stream, PacketBlock.empty(behind(block), missingBefore.plus(missing)));
  }

  private static PacketBlockOrigin behind(PacketBlock block) {
    PacketBlockOrigin origin = block.origin();
    long position = block.isEmpty() ? origin.position() : block.positionOf(block.count() - 1) + 1;
    return new PacketBlockOrigin(
        origin.stream(),
        origin.incarnation(),
        position,
        origin.timeBaseNs(),
        origin.clockTrusted());
  }

  @Override
  public long count() {
    return packets;
  }

  @Override
  public List<PacketBlock> losses() {
    return List.copyOf(losses.values());
  }

  @Override
  public PacketBlock telling(PacketBlock loss) {
    return loss;
  }

  @Override
  public void clear() {
    losses.clear();
    packets = 0;
  }
}
