// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.histogram;

import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.raw.SourceCounters;
import java.util.function.BooleanSupplier;

/** A source whose last packets do not come before something has happened. */
final class HeldBackSource implements PacketSource {
  private final PacketSource source;
  private final BooleanSupplier hasHappened;
  private long packetsBefore;

  /**
   * @param packetsBefore that come in any case
   */
  HeldBackSource(PacketSource source, long packetsBefore, BooleanSupplier hasHappened) {
    this.source = source;
    this.packetsBefore = packetsBefore;
    this.hasHappened = hasHappened;
  }

  @Override
  public int fill(RawPacketBatch batch) {
    if (packetsBefore <= 0 && !hasHappened.getAsBoolean()) {
      return 0;
    }
    int count = source.fill(batch);
    packetsBefore -= count;
    return count;
  }

  @Override
  public int clock() {
    return source.clock();
  }

  @Override
  public SourceCounters counters() {
    return source.counters();
  }

  @Override
  public double progress() {
    return source.progress();
  }

  @Override
  public void close() {
    source.close();
  }
}
