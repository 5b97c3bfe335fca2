// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.enumerator;

import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.connector.fpga.split.StateSerializerSuite;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.offheap.ring.RingStart;
import java.util.List;
import java.util.Map;

class RingEnumeratorStateSerializerSuiteTest extends StateSerializerSuite<RingEnumeratorState> {
  private static final RingName NAME = new RingName("host-7", "/dev/shm/flowstone", 0);
  private static final RingSplit UNASSIGNED =
      new RingSplit(StreamNumber.of(1, 0), NAME, 2, RingStart.LATEST);
  private static final Map<Long, KnownRing> ASSIGNED =
      Map.of(StreamNumber.of(1, 1), new KnownRing(new RingName("host-7", "/rings", 1), 2));

  RingEnumeratorStateSerializerSuiteTest() {
    super(RingEnumeratorState.class, () -> RingEnumeratorStateSerializer.INSTANCE);
  }

  @Override
  protected RingEnumeratorState[] getTestData() {
    return new RingEnumeratorState[] {
      RingEnumeratorState.NEW,
      new RingEnumeratorState(List.of(UNASSIGNED), Map.of(), false, false, false),
      new RingEnumeratorState(List.of(UNASSIGNED), ASSIGNED, true, false, false),
      new RingEnumeratorState(List.of(), ASSIGNED, true, true, true),
    };
  }
}
