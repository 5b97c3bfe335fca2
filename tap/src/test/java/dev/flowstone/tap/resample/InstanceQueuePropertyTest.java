// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.resample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class InstanceQueuePropertyTest {
  private static final int MOST = 1 << 14;
  private static final int STEPS = 20_000;

  private record Entry(long instance, long dueNs) {}

  /** Times differ, so that there is one right order. */
  @Property(tries = 20)
  void shouldGiveWhatIsDueFirst(@ForAll long seed) {
    Random random = new Random(seed);
    InstanceQueue queue = new InstanceQueue(MOST);
    PriorityQueue<Entry> naive = new PriorityQueue<>(Comparator.comparingLong(Entry::dueNs));
    for (int step = 0; step < STEPS; step++) {
      long due = ((long) random.nextInt() << 20) + step;
      int choice = random.nextInt(10);
      if (naive.isEmpty() || (choice < 5 && !queue.isFull())) {
        queue.add(step, due - 5, 0, Integer.MAX_VALUE, due);
        naive.add(new Entry(step, due));
      } else if (choice < 8) {
        assertThat(queue.advanceHead()).isTrue();
        long instance = queue.headInstance();
        queue.headGoesOn(due);
        assertThat(naive.poll().instance()).isEqualTo(instance);
        naive.add(new Entry(instance, due));
      } else {
        queue.removeHead();
        naive.poll();
      }
      assertThat(queue.size()).isEqualTo(naive.size());
      assertThat(queue.headDueNs())
          .isEqualTo(naive.isEmpty() ? InstanceQueue.NEVER : naive.peek().dueNs());
    }
  }
}
