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
 * Overrun: a producer reserves the slot that is position 0's, while a reader claims a lane there.
 * At least one must see the other.
 */
@JCStressTest
@Outcome(id = "true, true", expect = ACCEPTABLE, desc = "Both know: the slot stays unused.")
@Outcome(id = "true, false", expect = ACCEPTABLE, desc = "The producer stops for the reader.")
@Outcome(id = "false, true", expect = ACCEPTABLE, desc = "The reader begins further on.")
@Outcome(id = "false, false", expect = FORBIDDEN, desc = "The reader's slot is written over.")
@State
public class OverrunStress extends SharedRing {
  public OverrunStress() {
    super(SLOTS);
  }

  @Actor
  public void produce(ZZ_Result seen) {
    seen.r1 = reservation.reserve(SLOTS, 1) == SLOTS;
  }

  @Actor
  public void claim(ZZ_Result seen) {
    RingLane lane = lanes.claim(gating("reader"), 0);
    seen.r2 = window.settle(0, lane::release) > 0;
  }
}
