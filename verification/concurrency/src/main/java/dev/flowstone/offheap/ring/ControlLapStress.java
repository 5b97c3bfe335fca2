// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/**
 * Control index, one lap on: the producer writes over the entry that a slow reader is at. The
 * reader must find its next control record all the same, by the entry or by looking at the slots.
 */
@JCStressTest
@Outcome(id = "7", expect = ACCEPTABLE, desc = "By the entry, or by its slot.")
@Outcome(expect = FORBIDDEN, desc = "A later control record taken for the reader's next one.")
@State
public class ControlLapStress extends SharedRing {
  private static final long ENTRIES = RingFileHeaderLayout.CONTROL_INDEX_ENTRIES;
  private final ControlIndex controls = new ControlIndex(words, slots, new EntryLayout.OneSlot());

  public ControlLapStress() {
    writeKind(slots, 7, RecordKind.TIME);
    words.addControl(0, 7);
    // From here on the reader knows which entry is its next.
    if (controls.next(0, 1) != ControlIndex.NONE) {
      throw new IllegalStateException("no control record is below position 1");
    }
    words.addControl(ENTRIES - 2, 500);
  }

  @Actor
  public void produce() {
    words.addControl(ENTRIES - 1, 600);
    words.addControl(ENTRIES, 999);
  }

  @Actor
  public void read(J_Result seen) {
    seen.r1 = controls.next(1, 10);
  }
}
