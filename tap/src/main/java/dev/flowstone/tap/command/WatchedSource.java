// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.raw.SourceCounters;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A source whose counters and progress another thread may see: the thread that fills batches lays
 * them open.
 */
final class WatchedSource implements PacketSource {
  private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(1);

  /** A source that waits for packets so long has not counted any since it was last asked. */
  private static final int MOST_POLLS = 20;

  private final PacketSource source;
  private volatile SourceCounters latest;
  private volatile double progress;
  private volatile boolean asked;

  WatchedSource(PacketSource source) {
    this.source = source;
    latest = source.counters();
    progress = source.progress();
  }

  @Override
  public int fill(RawPacketBatch batch) {
    int count = source.fill(batch);
    progress = source.progress();
    if (asked) {
      latest = source.counters();
      asked = false;
    }
    return count;
  }

  /** The counters as they are, or at most one batch ago while no packets come. */
  SourceCounters ask() {
    asked = true;
    for (int polls = 0; asked && polls < MOST_POLLS; polls++) {
      LockSupport.parkNanos(POLL_NS);
    }
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
