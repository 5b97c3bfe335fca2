// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.connector.fpga.rings.MemoryRings;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.model.abi.RingContent;
import dev.flowstone.offheap.ring.RingIdentity;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JobFactsTest {
  /** The second of two subtasks, which share 128 key groups. */
  private static final JobFacts SECOND_OF_TWO =
      new JobFacts(true, Optional.of(new JobFacts.Subtask(1, 2, 128)), Optional.empty());

  private static RingIdentity ring(int ring, int ringCount, int keyGroups) {
    return new RingIdentity(
        ring,
        ringCount,
        1,
        MemoryRings.stream(ring),
        RingContent.PACKET_RECORDS,
        10,
        RingClock.SYNTHETIC,
        keyGroups,
        0,
        "test");
  }

  private static void require(RingIdentity ring) {
    SECOND_OF_TWO.requireOwnKeyGroups(MemoryRings.name(ring.ring()), ring);
  }

  @Test
  void shouldAcceptRingsThatHoldItsFlowsAlone() {
    assertThatCode(() -> require(ring(1, 2, 128))).doesNotThrowAnyException();
    assertThatCode(() -> require(ring(2, 4, 128))).doesNotThrowAnyException();
  }

  @Test
  void shouldRefuseARingWithAnotherSubtasksFlows() {
    assertThatThrownBy(() -> require(ring(0, 2, 128)))
        .hasMessageContaining("ring 0 of 2")
        .hasMessageContaining("subtask 1 of 2");
    assertThatThrownBy(() -> require(ring(1, 3, 128))).hasMessageContaining("ring 1 of 3");
  }

  /** The ring's numbers are all in the subtask's range, and mean other flows. */
  @Test
  void shouldRefuseKeyGroupsThatOnlyLookLikeItsOwn() {
    assertThatThrownBy(() -> require(ring(2, 3, 96)))
        .hasMessageContaining("96 key groups")
        .hasMessageContaining("128 key groups");
  }
}
