// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZJ_Result;

/**
 * Fencing: a reader releases twice while its successor claims the lane at position 4. What the
 * successor holds stays held, and a reader that was told no is never told yes again.
 */
@JCStressTest
@Outcome(id = "true, true, 4", expect = ACCEPTABLE, desc = "Fenced after both.")
@Outcome(id = "true, false, 4", expect = ACCEPTABLE, desc = "Fenced between.")
@Outcome(id = "false, false, 4", expect = ACCEPTABLE, desc = "Fenced before both.")
@Outcome(expect = FORBIDDEN, desc = "A fenced reader gave away what its successor holds.")
@State
public class FencingStress extends SharedRing {
  private static final String NAME = "reader";
  private static final long PUBLISHED = 64;
  private final RingLane former;

  public FencingStress() {
    words.publishPosition(PUBLISHED);
    former = lanes.claim(gating(NAME), 0);
  }

  @Actor
  public void release(ZZJ_Result seen) {
    seen.r1 = former.release(8);
    seen.r2 = former.release(16);
  }

  @Actor
  public void succeed() {
    lanes.claim(gating(NAME), 4);
  }

  @Arbiter
  public void held(ZZJ_Result seen) {
    seen.r3 = lanes.leastHeld(PUBLISHED);
  }
}
