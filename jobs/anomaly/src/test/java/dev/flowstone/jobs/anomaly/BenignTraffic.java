// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Usual traffic, 20,000 packets a second, as it is seen where routes are asymmetric: of half of the
 * flows one direction alone.
 */
final class BenignTraffic {
  static final long START_NS = SyntheticOptions.DEFAULT_START_NS;

  /** That are seen at least: 73 % of those that are made. */
  static final int PACKETS_PER_SECOND = 20_000;

  private static final int MADE_PER_SECOND = 27_500;
  private static final int FLOWS = 2_000;

  private BenignTraffic() {}

  static void each(Duration length, SourceBlocks.Taker taker) throws Exception {
    SyntheticOptions options =
        SyntheticOptions.preset("benign")
            .withPacketsPerSecond(MADE_PER_SECOND)
            .withFlows(FLOWS)
            .withDuration(length);
    int[] indexes = new int[1 << 16];
    try (SyntheticSource source = new SyntheticSource(options)) {
      SourceBlocks.each(source, block -> taker.take(visible(block, indexes)));
    }
  }

  /** Returns the blocks as copies that stay valid. */
  static List<PacketBlock> record(Duration length) throws Exception {
    List<PacketBlock> blocks = new ArrayList<>();
    each(length, block -> blocks.add(block.copy()));
    return blocks;
  }

  private static PacketBlock visible(PacketBlock block, int[] indexes) {
    int count = 0;
    for (int i = 0; i < block.count(); i++) {
      if (isVisible(block.segment(), block.offsetOf(i))) {
        indexes[count++] = i;
      }
    }
    return block.select(indexes, count);
  }

  private static boolean isVisible(MemorySegment records, long at) {
    int hash = PacketRecord.flowHash(records, at);
    boolean bothWays = (hash & 0x100) != 0;
    boolean upwards = (hash & 0x200) != 0;
    long source = PacketRecord.sourceAddressLow(records, at);
    long destination = PacketRecord.destinationAddressLow(records, at);
    return bothWays || upwards == Long.compareUnsigned(source, destination) < 0;
  }
}
