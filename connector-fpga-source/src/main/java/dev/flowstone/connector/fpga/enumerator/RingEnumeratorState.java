// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.enumerator;

import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.connector.fpga.split.RingSplit;
import java.util.List;
import java.util.Map;

/**
 * What the enumerator keeps over a restart.
 *
 * @param unassigned rings that no reader had
 * @param assigned rings that a reader had, whose split is therefore in its state or finished, each
 *     with the number of rings of its tap
 */
public record RingEnumeratorState(List<RingSplit> unassigned, Map<RingName, Integer> assigned) {

  public RingEnumeratorState {
    unassigned = List.copyOf(unassigned);
    assigned = Map.copyOf(assigned);
  }
}
