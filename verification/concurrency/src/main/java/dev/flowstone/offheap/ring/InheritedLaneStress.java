// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.flowstone.model.abi.LaneMode;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;

/**
 * Inherited lane: a job takes the space of a job that rests, in a lane of its own, while the
 * producer looks at the lanes. The space is held by one or the other throughout.
 */
@JCStressTest
@Outcome(id = "true, 1", expect = ACCEPTABLE, desc = "Held throughout, and then by the heir alone.")
@Outcome(expect = FORBIDDEN, desc = "For a moment nobody held the space, or two lanes hold it.")
@State
public class InheritedLaneStress extends SharedRing {
  /** About as long as a claim takes. */
  private static final int LOOKS = 50;

  public InheritedLaneStress() {
    super(SLOTS);
    lanes.claim(jobs("0a0a0a0a"), 0).rest();
  }

  private static LaneOwner jobs(String id) {
    ReaderName reader = ReaderName.ofJob("reader", new ReaderName.Job(id, "job"));
    return new LaneOwner(reader, LaneMode.GATING, RingReader.USUAL_EXPIRY);
  }

  @Actor
  public void look(ZI_Result seen) {
    boolean held = true;
    for (int look = 0; look < LOOKS; look++) {
      held &= lanes.leastHeld(SLOTS) == 0;
    }
    seen.r1 = held;
  }

  @Actor
  public void inherit() {
    lanes.claim(jobs("0b0b0b0b"), 0);
  }

  @Arbiter
  public void count(ZI_Result seen) {
    seen.r2 = lanes.occupants().size();
  }
}
