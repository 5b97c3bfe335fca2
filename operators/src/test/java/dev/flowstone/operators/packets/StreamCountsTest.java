// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StreamCountsTest {
  private record Entry(long rule, long stream, long packets) {}

  private static List<Entry> written(List<StreamCounts> subtasks) throws Exception {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < subtasks.size(); i++) {
      subtasks
          .get(i)
          .write(
              i,
              subtasks.size(),
              (rule, stream, packets) -> entries.add(new Entry(rule, stream, packets)));
    }
    return entries;
  }

  private static List<StreamCounts> restored(int subtasks, List<Entry> entries) {
    List<StreamCounts> counts = new ArrayList<>();
    for (int i = 0; i < subtasks; i++) {
      StreamCounts restored = new StreamCounts();
      entries.forEach(entry -> restored.restore(entry.rule, entry.stream, entry.packets));
      counts.add(restored);
    }
    return counts;
  }

  @Test
  void shouldGoOnWithTheLatestNumberInWhateverOrderTheyCome() {
    StreamCounts counts = new StreamCounts();
    counts.restore(1, 2, 30);
    counts.restore(1, 2, 10);
    assertThat(counts.add(1, 2, 5)).isEqualTo(30);
    assertThat(counts.add(1, 2, 1)).isEqualTo(35);
    assertThat(counts.add(2, 2, 1)).isZero();
    assertThat(counts.add(1, 3, 1)).isZero();
  }

  /** Idle streams are kept by somebody, and what one subtask stopped reading does not pile up. */
  @Test
  void shouldNeitherForgetNorGrowOverManyRestarts() throws Exception {
    int streams = 100;
    List<StreamCounts> subtasks = restored(1, List.of());
    for (int stream = 0; stream < streams; stream++) {
      subtasks.getFirst().add(1, stream, stream + 1);
    }
    List<Entry> entries = written(subtasks);
    for (int run = 0; run < 20; run++) {
      int parallelism = 1 + run % 4;
      subtasks = restored(parallelism, entries);
      // A few are read, each time in another subtask.
      for (int stream = 0; stream < 10; stream++) {
        assertThat(subtasks.get((stream + run) % parallelism).add(1, stream, 3))
            .isEqualTo(stream + 1 + 3L * run);
      }
      entries = written(subtasks);
      assertThat(entries).hasSizeLessThanOrEqualTo(2 * streams);
    }
    StreamCounts last = restored(1, entries).getFirst();
    assertThat(last.size()).isEqualTo(streams);
    assertThat(last.add(1, 99, 1)).isEqualTo(100);
  }

  @Test
  void shouldForgetWhatWasNotSeenForLongestWhenThereAreTooMany() {
    StreamCounts counts = new StreamCounts();
    for (int stream = 0; stream < StreamCounts.MOST; stream++) {
      counts.add(1, stream, 1);
    }
    counts.add(1, 0, 1);
    counts.add(1, -1, 1);
    assertThat(counts.size()).isEqualTo(StreamCounts.MOST);
    assertThat(counts.add(1, 0, 1)).isEqualTo(2);
    assertThat(counts.add(1, 1, 1)).isZero();
  }
}
