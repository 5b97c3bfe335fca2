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
 * Overrun: a producer announces that it will write over position 0 and looks at the lanes; a reader
 * claims a lane at position 0 and looks at the announcement. At least one must see the other.
 */
@JCStressTest
@Outcome(id = "true, true", expect = ACCEPTABLE, desc = "Both know.")
@Outcome(id = "true, false", expect = ACCEPTABLE, desc = "The producer stops for the reader.")
@Outcome(id = "false, true", expect = ACCEPTABLE, desc = "The reader begins further on.")
@Outcome(id = "false, false", expect = FORBIDDEN, desc = "The reader's slot is written over.")
@State
public class OverrunStress extends SharedRing {
  private static final long ANNOUNCED = 1;

  @Actor
  public void produce(ZZ_Result seen) {
    words.announceReserved(ANNOUNCED);
    seen.r1 = lanes.leastHeld(ANNOUNCED) != Long.MAX_VALUE;
  }

  @Actor
  public void claim(ZZ_Result seen) {
    long free = lanes.claimWord(0);
    lanes.compareAndSet(0, free, LaneClaim.next(free, LaneMode.GATING, 0));
    seen.r2 = words.reservedPosition() == ANNOUNCED;
  }
}
