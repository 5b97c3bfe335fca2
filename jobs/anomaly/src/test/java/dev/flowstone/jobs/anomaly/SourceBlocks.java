// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RawPacketFlag;
import dev.flowstone.offheap.ParserLibrary;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What a tap would put into one ring, as blocks, without a ring in between. */
final class SourceBlocks {
  static final long STREAM = 7L << 16;
  private static final long MOST_OFF_BASE_NS = 1_000_000_000;

  private SourceBlocks() {}

  /** Takes a block, which is gone when it returns. */
  @FunctionalInterface
  interface Taker {
    void take(PacketBlock block) throws Exception;
  }

  static void each(PacketSource source, Taker taker) throws Exception {
    long position = 0;
    try (Arena arena = Arena.ofConfined();
        RawPacketBatch batch = new RawPacketBatch(RawPacketBatch.DEFAULT_CAPACITY)) {
      MemorySegment records = arena.allocate(batch.capacity() * PacketRecordLayout.SIZE_BYTES, 64);
      while (source.fill(batch) != PacketSource.END) {
        ParserLibrary.instance()
            .parse(
                batch.base(), batch.descriptors(), batch.count(), ParserProfile.SOFTWARE, records);
        for (int from = 0; from < batch.count(); ) {
          int to = endOfRun(batch, from);
          PacketBlockOrigin origin =
              new PacketBlockOrigin(
                  STREAM, 1, position + from, batch.timeNs(from), isTimed(batch, from));
          long at = from * PacketRecordLayout.SIZE_BYTES;
          taker.take(PacketBlock.of(origin, records, at, to - from, PacketLoss.NONE));
          from = to;
        }
        position += batch.count();
      }
    }
  }

  /** Where a TIME record would stand. */
  private static int endOfRun(RawPacketBatch batch, int from) {
    int to = from + 1;
    while (to < batch.count()
        && isTimed(batch, to) == isTimed(batch, from)
        && Math.abs(batch.timeNs(to) - batch.timeNs(from)) < MOST_OFF_BASE_NS) {
      to++;
    }
    return to;
  }

  private static boolean isTimed(RawPacketBatch batch, int packet) {
    return (batch.flags(packet) & RawPacketFlag.UNTIMED) == 0;
  }
}
