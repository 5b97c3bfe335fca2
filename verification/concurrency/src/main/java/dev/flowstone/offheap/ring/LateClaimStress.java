// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * Late claim: a reader claims a lane at a position that is long gone while the producer reserves.
 * Whatever the producer makes of the lane, the reader learns that it came too late.
 */
@JCStressTest
@Outcome(id = "true, true", expect = ACCEPTABLE, desc = "The producer saw the lane, and waits.")
@Outcome(id = "false, true", expect = ACCEPTABLE, desc = "The producer goes on.")
@Outcome(expect = FORBIDDEN, desc = "The reader takes what was written over for its own.")
@State
public class LateClaimStress extends SharedRing {
  private static final long PRODUCED = 3 * SLOTS;

  public LateClaimStress() {
    super(PRODUCED);
  }

  @Actor
  public void produce(ZZ_Result seen) {
    seen.r1 = reservation.reserve(PRODUCED, 1) == PRODUCED;
  }

  @Actor
  public void claim(ZZ_Result seen) {
    RingLane lane = lanes.claim(gating("reader"), SLOTS);
    seen.r2 = window.settle(SLOTS, lane::release) > 2 * SLOTS;
  }
}
