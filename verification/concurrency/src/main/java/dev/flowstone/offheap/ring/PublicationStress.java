// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** Publication: who sees the position sees the slots below it. */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Not yet published.")
@Outcome(id = "0, 7", expect = ACCEPTABLE, desc = "Written, not yet published: no reader looks.")
@Outcome(id = "1, 7", expect = ACCEPTABLE, desc = "Published.")
@Outcome(expect = FORBIDDEN, desc = "A published slot without its record.")
@State
public class PublicationStress extends SharedRing {
  @Actor
  public void produce() {
    writeSlot(slots, 0, 7);
    words.publishPosition(1);
  }

  @Actor
  public void read(JJ_Result seen) {
    seen.r1 = words.positionAcquire();
    seen.r2 = readSlot(0);
  }
}
