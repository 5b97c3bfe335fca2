// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import dev.flowstone.blocks.PacketBlock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;

/** Keeps what a reader emits, and when. */
final class RecordingOutput implements ReaderOutput<PacketBlock> {
  final List<PacketBlock> blocks = new ArrayList<>();
  final List<Long> timestamps = new ArrayList<>();
  final List<Long> watermarks = new ArrayList<>();
  final Set<String> splits = new HashSet<>();
  boolean idle;

  /** Blocks that came before the latest watermark. */
  int blocksBeforeWatermark;

  long packets() {
    return blocks.stream().mapToLong(PacketBlock::count).sum();
  }

  long lost() {
    return blocks.stream().mapToLong(block -> block.lossBefore().inRing()).sum();
  }

  @Override
  public void collect(PacketBlock block) {
    throw new AssertionError("block without timestamp");
  }

  @Override
  public void collect(PacketBlock block, long timestamp) {
    blocks.add(block);
    timestamps.add(timestamp);
  }

  @Override
  public void emitWatermark(Watermark watermark) {
    idle = false;
    watermarks.add(watermark.getTimestamp());
    blocksBeforeWatermark = blocks.size();
  }

  @Override
  public void markIdle() {
    idle = true;
  }

  @Override
  public void markActive() {
    idle = false;
  }

  @Override
  public SourceOutput<PacketBlock> createOutputForSplit(String splitId) {
    splits.add(splitId);
    return this;
  }

  @Override
  public void releaseOutputForSplit(String splitId) {
    splits.remove(splitId);
  }
}
