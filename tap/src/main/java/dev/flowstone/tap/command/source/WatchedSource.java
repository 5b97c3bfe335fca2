// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.source;

import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.raw.SourceCounters;

/**
 * A source whose counters and progress another thread may see: the thread that fills batches lays
 * them open with each.
 */
final class WatchedSource implements PacketSource {
  private final PacketSource source;
  private volatile SourceCounters latest;
  private volatile double progress;

  WatchedSource(PacketSource source) {
    this.source = source;
    latest = source.counters();
    progress = source.progress();
  }

  @Override
  public int fill(RawPacketBatch batch) {
    int count = source.fill(batch);
    progress = source.progress();
    latest = source.counters();
    return count;
  }

  /** As they were after the latest batch, so never behind what became of it; any thread may ask. */
  SourceCounters latest() {
    return latest;
  }

  @Override
  public boolean stopCatching() {
    return source.stopCatching();
  }

  @Override
  public int clock() {
    return source.clock();
  }

  @Override
  public long idleClockNs() {
    return source.idleClockNs();
  }

  @Override
  public long takeLostBeforeTap() {
    return source.takeLostBeforeTap();
  }

  @Override
  public long takeOtherClockPackets() {
    return source.takeOtherClockPackets();
  }

  @Override
  public SourceCounters counters() {
    return source.counters();
  }

  /** As it was after the latest batch; any thread may ask. */
  @Override
  public double progress() {
    return progress;
  }

  @Override
  public void close() {
    source.close();
  }
}
