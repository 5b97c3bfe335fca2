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

  /**
   * A reader of a job; another living job's lane is not taken over.
   *
   * @throws LaneTakenException if there is one of this name
   */
  public ObservingReader(RingFile file, ReaderName name, RingStart start, Duration expiry) {
    this(file, EntryLayout.of(file.identity().content()), name, start, expiry);
  }

  private ObservingReader(
      RingFile file, EntryLayout layout, ReaderName name, RingStart start, Duration expiry) {
    super(file, layout, new LaneOwner(name, LaneMode.OBSERVING, expiry), start);
  }

  ObservingReader(
      RingFile file, EntryLayout layout, String name, RingStart start, Duration expiry) {
    this(file, layout, ReaderName.of(name), start, expiry);
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

  /** Lets everybody who looks at the lanes see how far it has read; holds nothing. */
  public void tell(long position) {
    moveLane(position);
  }

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
