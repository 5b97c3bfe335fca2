// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.abi.LaneMode;
import java.time.Duration;

/**
 * A reader that the producer never waits for: copy a run, then ask {@link #isRunIntact}, then poll
 * again. What it came too late for counts as lost.
 */
public final class ObservingReader extends RingReader {

  /** Takes over the lane that bore this name before, if there is one. */
  public ObservingReader(RingFile file, String name, RingStart start) {
    this(file, EntryLayout.of(file.identity().content()), name, start, USUAL_EXPIRY);
  }

  ObservingReader(
      RingFile file, EntryLayout layout, String name, RingStart start, Duration expiry) {
    super(file, layout, new LaneOwner(name, LaneMode.OBSERVING, expiry), start);
  }

  @Override
  void beforePoll() {
    if (!window.stands(position())) {
      skipWhatIsGone();
    }
  }

  @Override
  void requireReachable(long published, long position) {}

  @Override
  void overrun(long position) {
    skipWhatIsGone();
  }

  @Override
  void beforeRun(long position) {}

  /**
   * After a run was copied and before the next poll: had the producer left it alone? If not, the
   * copy must not be used; the run then counts as not read, and the next TIME record counts its
   * packets as lost.
   */
  public boolean isRunIntact() {
    boolean intact = window.stands(runPosition());
    if (!intact && runCount() > 0) {
      discardRun();
    }
    return intact;
  }
}
