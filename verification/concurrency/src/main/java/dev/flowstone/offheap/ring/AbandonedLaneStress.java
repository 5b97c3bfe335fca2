// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.flowstone.model.abi.LaneMode;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZJ_Result;

/**
 * Abandoned lane: the producer takes the space of a reader that is gone while its successor claims
 * the same lane. The successor has it in the end, whoever came first.
 */
@JCStressTest
@Outcome(id = "true, 4", expect = ACCEPTABLE, desc = "The successor holds what it claimed.")
@Outcome(expect = FORBIDDEN, desc = "The successor lost its lane for its forerunner's silence.")
@State
public class AbandonedLaneStress extends SharedRing {
  private static final String NAME = "reader";
  private static final long PUBLISHED = 64;
  private RingLane successor;

  public AbandonedLaneStress() {
    words.publishPosition(PUBLISHED);
    lanes.claim(new LaneOwner(NAME, LaneMode.GATING, Duration.ZERO), 0);
  }

  @Actor
  public void produce() {
    lanes.freeAbandoned(System.nanoTime(), Long.MAX_VALUE, _ -> {});
  }

  @Actor
  public void succeed() {
    successor = lanes.claim(gating(NAME), 4);
  }

  @Arbiter
  public void held(ZJ_Result seen) {
    seen.r1 = successor.isHeld();
    seen.r2 = lanes.leastHeld(PUBLISHED);
  }
}
