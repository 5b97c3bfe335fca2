// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.PacketRecord;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.api.common.functions.MapFunction;

/** Reads time, flow hash and payload length of each packet: the least an operator does. */
final class ThreeFields implements MapFunction<PacketBlock, Long> {
  private static final long serialVersionUID = 1L;

  /** Packets seen by all instances in this process. */
  static final LongAdder PACKETS = new LongAdder();

  @Override
  public Long map(PacketBlock block) {
    MemorySegment segment = block.segment();
    long sum =
        block.isContiguous() ? sum(segment, block.offsetBytes(), block.count()) : sumOfEach(block);
    PACKETS.add(block.count());
    return sum;
  }

  private static long sumOfEach(PacketBlock block) {
    long sum = 0;
    for (int i = 0; i < block.count(); i++) {
      sum += sum(block.segment(), block.offsetOf(i), 1);
    }
    return sum;
  }

  static long sum(MemorySegment segment, long offsetBytes, int count) {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      long offset = offsetBytes + (long) i * PacketBlock.RECORD_BYTES;
      sum +=
          PacketRecord.timeLow(segment, offset)
              + (long) PacketRecord.flowHash(segment, offset)
              + PacketRecord.payloadLength(segment, offset);
    }
    return sum;
  }
}
