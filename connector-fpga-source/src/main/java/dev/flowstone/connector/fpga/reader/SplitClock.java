// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import dev.flowstone.connector.fpga.FpgaSourceOptions;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.SourceOutput;

/**
 * Watermarks of one ring, from the ring's own clock, and whether anybody should wait for them.
 * Reads the host's clock only while there is nothing to do.
 */
final class SplitClock {
  private static final long NS_PER_MS = 1_000_000;
  private static final long NEVER_NS = Long.MAX_VALUE;
  private static final long END_OF_TIME_MS = Watermark.MAX_WATERMARK.getTimestamp();

  private final long outOfOrdernessNs;
  private final long idleTimeoutNs;

  private long watermarkMs = Long.MIN_VALUE;
  private boolean idle;
  private boolean silent;
  private long silentSinceNs;

  private SplitClock(long outOfOrdernessNs, long idleTimeoutNs) {
    this.outOfOrdernessNs = outOfOrdernessNs;
    this.idleTimeoutNs = idleTimeoutNs;
  }

  /**
   * The clock of a ring, or of a reader that has none yet. A bounded source waits for silent rings:
   * what they still hold belongs to its result, and time must not pass it.
   */
  static SplitClock of(FpgaSourceOptions options) {
    return new SplitClock(
        options.outOfOrderness().toNanos(),
        options.bounded() ? NEVER_NS : options.idleTimeout().toNanos());
  }

  /** The ring told its time. Of the millisecond that it is in more may come. */
  void told(SourceOutput<?> output, long timeNs) {
    silent = false;
    advance(output, Math.floorDiv(timeNs - outOfOrdernessNs, NS_PER_MS) - 1);
  }

  /** A packet came; wakes the split up if nobody waits for it any more. */
  void packets(SourceOutput<?> output) {
    silent = false;
    if (idle) {
      emit(output);
    }
  }

  /** The ring said its last word, at this time; its tap may be started again. */
  void ended(SourceOutput<?> output, long timeNs) {
    if (!idle) {
      advance(output, Math.floorDiv(timeNs, NS_PER_MS));
      markIdle(output);
    }
  }

  /**
   * Nothing more will ever come. Not idle: Flink keeps back the watermarks of an idle output, also
   * the last of all, which closes the windows that are still open.
   */
  void finished(SourceOutput<?> output) {
    if (watermarkMs != END_OF_TIME_MS) {
      watermarkMs = END_OF_TIME_MS;
      emit(output);
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
