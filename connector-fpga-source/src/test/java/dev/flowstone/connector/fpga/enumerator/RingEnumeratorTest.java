// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.enumerator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.connector.fpga.rings.RingSighting;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.offheap.ring.RingStart;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.connector.testutils.source.reader.TestingSplitEnumeratorContext;
import org.junit.jupiter.api.Test;

/** What the enumerator sends to readers, and when. */
class RingEnumeratorTest {
  private static final String DIRECTORY = "/rings";

  private final TestingSplitEnumeratorContext<RingSplit> context =
      new TestingSplitEnumeratorContext<>(2);
  private final RingEnumerator enumerator =
      new RingEnumerator(
          context,
          List.of(DIRECTORY),
          List.of(),
          false,
          new RingAssignment(2, RingStart.OLDEST, false));

  private void come(int subtask) {
    context.registerReader(subtask, "host");
    enumerator.addReader(subtask);
  }

  private void see(int subtask, long look, int... rings) {
    List<RingSighting> seen =
        Arrays.stream(rings)
            .mapToObj(
                ring ->
                    new RingSighting(
                        StreamNumber.of(1, ring),
                        new RingName("host", DIRECTORY, ring),
                        2,
                        7,
                        List.of(),
                        true))
            .toList();
    enumerator.handleSourceEvent(subtask, new RingsSeenEvent("host", seen, look));
  }

  private List<Long> looksAskedOf(int subtask) {
    return context.getSentEvents().getOrDefault(subtask, List.of()).stream()
        .map(event -> ((LookAgainEvent) event).look())
        .toList();
  }

  @Test
  void shouldAskAllReadersToLookAgainAboutWhatSomeDoNotSee() {
    come(0);
    come(1);
    see(0, 0);
    see(1, 0, 0, 1);
    assertThat(looksAskedOf(0)).hasSize(1).isEqualTo(looksAskedOf(1));
    assertThat(context.getSplitAssignments()).isEmpty();
    see(1, 2, 0, 1);
    see(0, 2, 0, 1);
    assertThat(context.getSplitAssignments()).containsOnlyKeys(0, 1);
  }

  /** The one before it may have gone with the question. */
  @Test
  void shouldAskAReaderThatComesAgain() {
    come(0);
    come(1);
    see(0, 0);
    see(1, 0, 0, 1);
    enumerator.addSplitsBack(List.of(), 0);
    enumerator.addReader(0);
    assertThat(looksAskedOf(0)).hasSize(2);
    assertThat(looksAskedOf(0).getLast()).isEqualTo(looksAskedOf(1).getLast());
  }
}
