// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.flowstone.model.abi.RingFileHeaderLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** Counters: an operator who looks while packets come never sees more written than offered. */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Before the packet.")
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "Offered, not yet written.")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "After it.")
@Outcome(expect = FORBIDDEN, desc = "A packet that was written without having been offered.")
@State
public class CountersStress extends SharedRing {
  @Actor
  public void produce() {
    words.setCounter(RingFileHeaderLayout.OFFERED_PACKETS_OFFSET, 1);
    words.setCounter(RingFileHeaderLayout.WRITTEN_PACKETS_OFFSET, 1);
  }

  @Actor
  public void look(JJ_Result seen) {
    RingCounters counters = words.counters();
    seen.r1 = counters.offeredPackets();
    seen.r2 = counters.writtenPackets();
  }
}
