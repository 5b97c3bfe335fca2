// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZJJ_Result;

/**
 * Observer's copy: a reader who holds nothing copies two slots while the producer writes over them,
 * and then asks whether they were left alone.
 */
@JCStressTest
@Outcome(id = "true, 7, 7", expect = ACCEPTABLE, desc = "Copied in time.")
@Outcome(id = "true, .*", expect = FORBIDDEN, desc = "A torn copy is believed.")
@Outcome(id = "false, .*", expect = ACCEPTABLE, desc = "Too late: thrown away, whatever it holds.")
@State
public class ObserverCopyStress extends SharedRing {
  public ObserverCopyStress() {
    super(SLOTS);
    writeSlot(slots, 0, 7);
    writeSlot(slots, 1, 7);
  }

  @Actor
  public void produce() {
    reservation.reserve(SLOTS, 2);
    writeSlot(slots, SLOTS, 9);
    writeSlot(slots, SLOTS + 1, 9);
    publish(words, SLOTS + 2);
  }

  @Actor
  public void copy(ZJJ_Result seen) {
    seen.r2 = readSlot(0);
    seen.r3 = readSlot(1);
    seen.r1 = window.stands(0);
  }
}
