// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/**
 * Control index: an entry stands before the count that covers it, and both before the position. A
 * reader who sees the position finds every control record below it.
 */
@JCStressTest
@Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "Nothing yet.")
@Outcome(id = "0, 0, 7", expect = ACCEPTABLE, desc = "An entry that no count covers.")
@Outcome(id = "0, 1, 7", expect = ACCEPTABLE, desc = "Covered, above the position.")
@Outcome(id = "8, 1, 7", expect = ACCEPTABLE, desc = "Published.")
@Outcome(expect = FORBIDDEN, desc = "A control record would be taken for a packet.")
@State
public class ControlIndexStress extends SharedRing {
  @Actor
  public void produce() {
    words.addControl(0, 7);
    words.publishPosition(8);
  }

  @Actor
  public void read(JJJ_Result seen) {
    seen.r1 = words.positionAcquire();
    seen.r2 = words.controlCountAcquire();
    seen.r3 = words.controlPosition(0);
  }
}
