// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.model.PacketLoss;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.core.io.InputStatus;

/** Reads blocks and emits their packets as texts; fails if packets were lost. */
@SuppressWarnings("try") // Its close throws whatever the source's does.
record PacketTextReader(SourceReader<PacketBlock, RingSplit> blocks)
    implements SourceReader<String, RingSplit> {

  @Override
  public InputStatus pollNext(ReaderOutput<String> texts) throws Exception {
    return blocks.pollNext(new ReaderTexts(texts));
  }

  private static void emit(PacketBlock block, SourceOutput<String> texts) {
    assertThat(block.lossBefore()).isEqualTo(PacketLoss.NONE);
    for (int i = 0; i < block.count(); i++) {
      texts.collect(NumberTap.text(block, i), block.timeNs(i) / 1_000_000);
    }
  }

  private record SplitTexts(SourceOutput<String> texts) implements SourceOutput<PacketBlock> {
    @Override
    public void collect(PacketBlock block) {
      emit(block, texts);
    }

    @Override
    public void collect(PacketBlock block, long timeMs) {
      emit(block, texts);
    }

    @Override
    public void emitWatermark(Watermark watermark) {
      texts.emitWatermark(watermark);
    }

    @Override
    public void markIdle() {
      texts.markIdle();
    }

    @Override
    public void markActive() {
      texts.markActive();
    }
  }

  private record ReaderTexts(ReaderOutput<String> texts) implements ReaderOutput<PacketBlock> {
    @Override
    public void collect(PacketBlock block) {
      emit(block, texts);
    }

    @Override
    public void collect(PacketBlock block, long timeMs) {
      emit(block, texts);
    }

    @Override
    public void emitWatermark(Watermark watermark) {
      texts.emitWatermark(watermark);
    }

    @Override
    public void markIdle() {
      texts.markIdle();
    }

    @Override
    public void markActive() {
      texts.markActive();
    }

    @Override
    public SourceOutput<PacketBlock> createOutputForSplit(String split) {
      return new SplitTexts(texts.createOutputForSplit(split));
    }

    @Override
    public void releaseOutputForSplit(String split) {
      texts.releaseOutputForSplit(split);
    }
  }

  @Override
  public void start() {
    blocks.start();
  }

  @Override
  public CompletableFuture<Void> isAvailable() {
    return blocks.isAvailable();
  }

  @Override
  public void addSplits(List<RingSplit> splits) {
    blocks.addSplits(splits);
  }

  @Override
  public void notifyNoMoreSplits() {
    blocks.notifyNoMoreSplits();
  }

  @Override
  public void handleSourceEvents(SourceEvent event) {
    blocks.handleSourceEvents(event);
  }

  @Override
  public void pauseOrResumeSplits(Collection<String> paused, Collection<String> resumed) {
    blocks.pauseOrResumeSplits(paused, resumed);
  }

  @Override
  public List<RingSplit> snapshotState(long checkpointId) {
    return blocks.snapshotState(checkpointId);
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) throws Exception {
    blocks.notifyCheckpointComplete(checkpointId);
  }

  @Override
  public void notifyCheckpointAborted(long checkpointId) throws Exception {
    blocks.notifyCheckpointAborted(checkpointId);
  }

  @Override
  public void close() throws Exception {
    blocks.close();
  }
}
