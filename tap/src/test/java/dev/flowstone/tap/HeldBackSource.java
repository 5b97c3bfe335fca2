// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap;

import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.raw.SourceCounters;
import java.util.function.BooleanSupplier;

/** A source that delivers its first packets at once and the others only after a condition holds. */
public final class HeldBackSource implements PacketSource {
  private final PacketSource source;
  private final BooleanSupplier condition;
  private long packetsBefore;
  private boolean isReleased;

  /**
   * @param packetsBefore the number of packets that do not depend on the condition
   */
  public HeldBackSource(PacketSource source, long packetsBefore, BooleanSupplier condition) {
    this.source = source;
    this.packetsBefore = packetsBefore;
    this.condition = condition;
  }

  @Override
  public int fill(RawPacketBatch batch) {
    if (isReleased) {
      return source.fill(batch);
    }
    if (packetsBefore <= 0) {
      isReleased = condition.getAsBoolean();
      return 0;
    }
    batch.clear();
    batch.limit((int) Math.min(batch.room(), packetsBefore));
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
