// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How many packets of each rule and stream were counted so far. A stream is read by one subtask at
 * a time, and any subtask may be the next: each is given what all knew, of two numbers for the same
 * stream the larger one, which is the later one. One thread.
 */
final class StreamCounts {
  /** Of more rules and streams than these, those that were not seen for longest begin anew. */
  static final int MOST = 1 << 16;

  private final Map<Key, Count> counts =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Count> eldest) {
          return size() > MOST;
        }
      };

  private record Key(long rule, long stream) {}

  private static final class Count {
    private long packets;

    /** Whether it grew here: else it is known from a checkpoint alone. */
    private boolean grew;
  }

  /** Takes what a checkpoint knows, or writes for one. */
  @FunctionalInterface
  interface Entries {
    void accept(long rule, long stream, long packets) throws Exception;
  }

  /** Counts packets; returns how many there were before them. */
  long add(long rule, long stream, int packets) {
    Count count = counts.computeIfAbsent(new Key(rule, stream), _ -> new Count());
    long before = count.packets;
    count.packets += packets;
    count.grew = true;
    return before;
  }

  void restore(long rule, long stream, long packets) {
    Count count = counts.computeIfAbsent(new Key(rule, stream), _ -> new Count());
    count.packets = Math.max(count.packets, packets);
  }

  /**
   * What this subtask has to write: what it counted; and, of what no subtask may have counted since
   * the restore, its share. So nothing is forgotten, and nothing is written more than twice.
   */
  void write(int subtask, int subtasks, Entries entries) throws Exception {
    for (Map.Entry<Key, Count> entry : counts.entrySet()) {
      Key key = entry.getKey();
      Count count = entry.getValue();
      if (count.grew || Math.floorMod(key.hashCode(), subtasks) == subtask) {
        entries.accept(key.rule, key.stream, count.packets);
      }
    }
  }

  int size() {
    return counts.size();
  }
}
