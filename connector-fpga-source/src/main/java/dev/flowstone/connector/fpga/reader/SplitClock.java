// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.SourceOutput;

/**
 * Watermarks of one ring, from the ring's own clock, and whether anybody should wait for them.
 * Reads the host's clock only while there is nothing to do.
 */
final class SplitClock {
  private static final long NS_PER_MS = 1_000_000;

  private final long outOfOrdernessMs;
  private final long idleTimeoutNs;

  private long watermarkMs = Long.MIN_VALUE;
  private boolean idle;
  private boolean silent;
  private long silentSinceNs;

  SplitClock(long outOfOrdernessMs, long idleTimeoutNs) {
    this.outOfOrdernessMs = outOfOrdernessMs;
    this.idleTimeoutNs = idleTimeoutNs;
  }

  /** The ring told its time. */
  void told(SourceOutput<?> output, long timeNs) {
    silent = false;
    advance(output, Math.floorDiv(timeNs, NS_PER_MS) - outOfOrdernessMs);
  }

  /** A packet came; wakes the split up if nobody waits for it any more. */
  void packets(SourceOutput<?> output) {
    silent = false;
    if (idle) {
      emit(output);
    }
  }

  /** The ring said its last word, at this time. */
  void ended(SourceOutput<?> output, long timeNs) {
    if (!idle) {
      advance(output, Math.floorDiv(timeNs, NS_PER_MS));
      markIdle(output);
    }
  }

  /** There is nothing to read. */
  void nothing(SourceOutput<?> output, long nowNs) {
    if (idle) {
      return;
    }
    if (!silent) {
      silent = true;
      silentSinceNs = nowNs;
    } else if (nowNs - silentSinceNs >= idleTimeoutNs) {
      markIdle(output);
    }
  }

  boolean isIdle() {
    return idle;
  }

  /** Of a clock that goes back, the watermark stays. */
  private void advance(SourceOutput<?> output, long timeMs) {
    if (timeMs > watermarkMs) {
      watermarkMs = timeMs;
    }
    emit(output);
  }

  private void emit(SourceOutput<?> output) {
    idle = false;
    output.emitWatermark(new Watermark(watermarkMs));
  }

  private void markIdle(SourceOutput<?> output) {
    idle = true;
    output.markIdle();
  }
}
