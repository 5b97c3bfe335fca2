// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZJ_Result;

/** The end: who sees that a ring has ended sees its last position too. */
@JCStressTest
@Outcome(id = "false, 0", expect = ACCEPTABLE, desc = "Under way.")
@Outcome(id = "false, 1", expect = ACCEPTABLE, desc = "Published, not yet ended.")
@Outcome(id = "true, 1", expect = ACCEPTABLE, desc = "Ended.")
@Outcome(id = "true, 0", expect = FORBIDDEN, desc = "A reader would stop before the last record.")
@State
public class EndStress extends SharedRing {
  @Actor
  public void end() {
    words.publishPosition(1);
    words.publishEnded();
  }

  @Actor
  public void read(ZJ_Result seen) {
    seen.r1 = words.isEndedAcquire();
    seen.r2 = words.positionAcquire();
  }
}
