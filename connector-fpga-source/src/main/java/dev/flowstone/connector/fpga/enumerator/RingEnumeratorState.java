// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.enumerator;

import dev.flowstone.connector.fpga.split.RingSplit;
import java.util.List;
import java.util.Map;

/**
 * What the enumerator keeps over a restart.
 *
 * @param unassigned rings that no reader had
 * @param assigned by stream number, rings that a reader had, whose split is therefore in its state
 *     or finished
 * @param hasBegun whether all readers had come once: rings that appear later are new
 * @param isComplete whether a bounded run had all the rings it will get
 * @param isAllRead whether all readers of a bounded run were done: some may have ended for good
 */
public record RingEnumeratorState(
    List<RingSplit> unassigned,
    Map<Long, KnownRing> assigned,
    boolean hasBegun,
    boolean isComplete,
    boolean isAllRead) {

  /** Of a source that never ran. */
  public static final RingEnumeratorState NEW =
      new RingEnumeratorState(List.of(), Map.of(), false, false, false);

  public RingEnumeratorState {
    unassigned = List.copyOf(unassigned);
    assigned = Map.copyOf(assigned);
  }
}
