// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.flowstone.model.abi.LaneMode;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * Announcement: {@link OverrunStress} down to its four accesses. A missing fence shows here in
 * every run, there only when the threads happen to meet.
 */
@JCStressTest
@Outcome(id = "true, true", expect = ACCEPTABLE, desc = "Each sees the other.")
@Outcome(id = "true, false", expect = ACCEPTABLE, desc = "The producer sees the lane.")
@Outcome(id = "false, true", expect = ACCEPTABLE, desc = "The reader sees the announcement.")
@Outcome(id = "false, false", expect = FORBIDDEN, desc = "Neither sees the other.")
@State
public class AnnouncementStress extends SharedRing {
  private static final long VACANT = 0;
  private static final long CLAIMED = LaneClaim.next(VACANT, LaneMode.GATING, 0);

  @Actor
  public void announce(ZZ_Result seen) {
    words.announceReserved(SLOTS);
    seen.r1 = lanes.claimWord(0) == CLAIMED;
  }

  @Actor
  public void claim(ZZ_Result seen) {
    lanes.compareAndSet(0, VACANT, CLAIMED);
    seen.r2 = words.reservedPosition() == SLOTS;
  }
}
