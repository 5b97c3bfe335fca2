// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Entries of one hash are met in the order in which they were added, through every size that the
 * index grows and shrinks to. Hashes are near the end of any array, and lie in one another's way.
 */
class FlowIndexPropertyTest {
  private static final int HASHES = 40;
  private static final int STEPS = 300;
  private static final long ENTRY_BYTES = 64;

  private final Map<Integer, List<Long>> expected = new TreeMap<>();
  private FlowIndex index;
  private int count;

  @Property(tries = 100)
  void shouldKeepTheOrderOfEntriesOfOneHash(@ForAll Random random) {
    expected.clear();
    index = new FlowIndex();
    count = 0;
    for (long step = 0; step < STEPS; step++) {
      boolean grows = step * 4 / STEPS % 2 == 0;
      if (count == 0 || random.nextInt(4) != 0 == grows) {
        add(-1 - random.nextInt(HASHES), step * ENTRY_BYTES);
      } else {
        removeAny(random);
      }
      expected.forEach(this::requireOrder);
      int size = index.slots.length;
      if (size < 2 * count || (size != 16 && size > 8 * count)) {
        throw new AssertionError("%d slots for %d entries".formatted(size, count));
      }
    }
  }

  private void requireOrder(int hash, List<Long> entries) {
    // AssertJ is only for the message: it would take most of the test's time.
    if (!entriesOf(hash).equals(entries)) {
      assertThat(entriesOf(hash)).as("hash %d", hash).isEqualTo(entries);
    }
  }

  private void add(int hash, long entry) {
    index.add(hash, entry);
    expected.computeIfAbsent(hash, _ -> new ArrayList<>()).add(entry);
    count++;
  }

  private void removeAny(Random random) {
    List<Integer> hashes = new ArrayList<>(expected.keySet());
    int hash = hashes.get(random.nextInt(hashes.size()));
    List<Long> entries = expected.get(hash);
    index.remove(hash, entries.remove(random.nextInt(entries.size())));
    if (entries.isEmpty()) {
      expected.remove(hash);
    }
    count--;
  }

  private List<Long> entriesOf(int hash) {
    List<Long> entries = new ArrayList<>();
    for (int slot = index.home(hash);
        index.slots[slot] != FlowIndex.FREE;
        slot = index.next(slot)) {
      if (FlowIndex.hashOf(index.slots[slot]) == hash) {
        entries.add(FlowIndex.entryOf(index.slots[slot]));
      }
    }
    return entries;
  }
}
