// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.flowstone.model.abi.RingFileHeaderLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/**
 * Control index, one lap on: the producer writes over the entry that a slow reader is at. The
 * reader looks at the count after the entry and then trusts no entry that may be a later one's.
 */
@JCStressTest
@Outcome(id = "7", expect = ACCEPTABLE, desc = "The entry, while it was the reader's.")
@Outcome(id = "-1", expect = ACCEPTABLE, desc = "Too late: the reader looks at the slots instead.")
@Outcome(expect = FORBIDDEN, desc = "A later control record taken for the reader's next one.")
@State
public class ControlLapStress extends SharedRing {
  private static final long ENTRIES = RingFileHeaderLayout.CONTROL_INDEX_ENTRIES;

  public ControlLapStress() {
    words.addControl(0, 7);
    words.addControl(ENTRIES - 2, 500);
  }

  @Actor
  public void produce() {
    words.addControl(ENTRIES - 1, 600);
    words.addControl(ENTRIES, 999);
  }

  @Actor
  public void read(J_Result seen) {
    long position = words.controlPosition(0);
    seen.r1 = words.controlCountAcquire() < ENTRIES ? position : -1;
  }
}
