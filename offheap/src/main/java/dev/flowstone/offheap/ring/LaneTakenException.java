// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import java.util.concurrent.TimeUnit;

/** The reader's name is that of another job, which showed life a moment ago. */
public final class LaneTakenException extends RingFileException {
  private static final long serialVersionUID = 1L;

  private final long aliveNs;

  LaneTakenException(RingLanes.Occupant rival, long aliveNs) {
    super(
        "the reader name \"%s\" is taken by %s of process %d, which showed life %.1f s ago"
            .formatted(
                rival.reader().name(),
                rival.reader().job().map(ReaderName.Job::toString).orElse("a reader"),
                rival.pid(),
                (double) rival.silenceNs() / TimeUnit.SECONDS.toNanos(1)));
    this.aliveNs = aliveNs;
  }

  /** When it showed life, by {@link System#nanoTime}. */
  public long aliveNs() {
    return aliveNs;
  }
}
