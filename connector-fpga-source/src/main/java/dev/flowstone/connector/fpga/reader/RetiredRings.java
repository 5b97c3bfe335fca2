// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import dev.flowstone.connector.fpga.rings.OpenRing;
import dev.flowstone.offheap.ring.RingFile;
import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * Former incarnations of a ring, read to the end, whose memory operators may still refer to: each
 * is closed when a checkpoint that began after its retirement completes. Until then they take
 * memory that nobody else can have, so both their number and their bytes are bounded.
 */
final class RetiredRings implements AutoCloseable {
  /** More wait in line for no checkpoint; the next incarnation is not read before one completes. */
  static final int MOST_RETIRED = 8;

  /** The same for their slots, but for the first one, which may have any size. */
  static final long MOST_RETIRED_BYTES = 2L << 30;

  private static final long NO_CHECKPOINT_YET = Long.MAX_VALUE;

  private static final class Retired {
    final OpenRing ring;
    long firstCheckpointId = NO_CHECKPOINT_YET;

    Retired(OpenRing ring) {
      this.ring = ring;
    }
  }

  private final ArrayDeque<Retired> retired = new ArrayDeque<>();

  /** Whether one more would be too many. */
  boolean isFullFor(OpenRing next) {
    return retired.size() >= MOST_RETIRED
        || (!retired.isEmpty() && bytes() + sizeBytes(next) > MOST_RETIRED_BYTES);
  }

  private long bytes() {
    return retired.stream().mapToLong(each -> sizeBytes(each.ring)).sum();
  }

  private static long sizeBytes(OpenRing ring) {
    return ring.identity().slotCount() * RingFile.SLOT_BYTES;
  }

  int size() {
    return retired.size();
  }

  void add(OpenRing ring) {
    retired.add(new Retired(ring));
  }

  void snapshot(long checkpointId) {
    for (Retired each : retired) {
      each.firstCheckpointId = Math.min(each.firstCheckpointId, checkpointId);
    }
  }

  void completed(long checkpointId) {
    for (Iterator<Retired> all = retired.iterator(); all.hasNext(); ) {
      Retired each = all.next();
      if (each.firstCheckpointId <= checkpointId) {
        each.ring.close();
        all.remove();
      }
    }
  }

  @Override
  public void close() {
    retired.forEach(each -> each.ring.close());
    retired.clear();
  }
}
