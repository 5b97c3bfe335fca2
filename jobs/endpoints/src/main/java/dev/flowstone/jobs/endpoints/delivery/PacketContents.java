// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.blocks.RuleMark;
import dev.flowstone.blocks.WeightedBlock;
import dev.flowstone.model.PacketLoss;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What was written in the transaction under way. Has an entry for each stream and rule that was
 * written, so never more than the transaction has messages.
 */
final class PacketContents implements TransactionContents<WeightedBlock> {
  private record Stream(long number, long incarnation, RuleMark rule) {}

  private final Map<Stream, WeightedBlock> losses = new LinkedHashMap<>();
  private long packets;

  /** Who adds up weights and losses misses what the packets stood for. */
  @Override
  public void add(WeightedBlock weighted) {
    PacketBlock block = weighted.packets();
    long stoodFor = (long) block.count() * weighted.weight();
    PacketLoss missing = PacketLoss.inRing(stoodFor).plus(block.lossBefore());
    if (missing.isNone()) {
      return;
    }
    packets += block.count();
    Stream stream = new Stream(block.stream(), block.incarnation(), weighted.rule());
    WeightedBlock earlier = losses.get(stream);
    PacketLoss missingBefore = earlier == null ? PacketLoss.NONE : earlier.packets().lossBefore();
    PacketBlock loss = PacketBlock.empty(behind(block), missingBefore.plus(missing));
    losses.put(stream, new WeightedBlock(loss, WeightedBlock.UNSAMPLED, weighted.rule()));
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
  public List<WeightedBlock> losses() {
    return List.copyOf(losses.values());
  }

  @Override
  public WeightedBlock telling(WeightedBlock loss) {
    return loss;
  }

  @Override
  public void clear() {
    losses.clear();
    packets = 0;
  }
}
