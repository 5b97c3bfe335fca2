// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import java.util.concurrent.TimeUnit;

/** The reader's name is that of another job, which showed life a moment ago. */
public final class LaneTakenException extends RingFileException {
  private static final long serialVersionUID = 1L;

  private final long aliveNs;

  LaneTakenException(RingLanes.Occupant rival) {
    super(
        rival.refuseName(
            "which showed life %.1f s ago"
                .formatted((double) rival.silenceNs() / TimeUnit.SECONDS.toNanos(1))));
    aliveNs = rival.aliveNs();
  }

  /** When it showed life, by {@link System#nanoTime}. */
  public long aliveNs() {
    return aliveNs;
  }
}
