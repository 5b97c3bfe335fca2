// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.counts;

import java.util.Arrays;

/**
 * Packets and bytes by key, a few thousand of them: when there is no room for another, what there
 * is gets told and counting begins anew, since what is told later only adds to it.
 */
final class CountTable {
  private static final int SLOTS_LOG2 = 14;
  private static final int SLOTS = 1 << SLOTS_LOG2;

  /** Half: chains of occupied slots stay short. */
  private static final int MOST_ENTRIES = SLOTS / 2;

  private static final long SPREAD = 0x9e37_79b9_7f4a_7c15L;

  private final int keyWords;
  private final int entryWords;

  /** A key's words, its packets, which are 0 where a slot is free, and its bytes. */
  private final long[] slots;

  private final int[] used = new int[MOST_ENTRIES];
  private int size;

  /** Of the packet before, whose key the next one often has; a slot that is free has no packets. */
  private int latest;

  CountTable(int keyWords) {
    this.keyWords = keyWords;
    this.entryWords = keyWords + 2;
    this.slots = new long[SLOTS * entryWords];
  }

  /** Before another key may be added, what there is must be told. */
  boolean isFull() {
    return size == MOST_ENTRIES;
  }

  /**
   * More of a key.
   *
   * @param packets at least one
   */
  void add(long[] key, long packets, long bytes) {
    int at = hasKey(latest, key) ? latest : find(key);
    latest = at;
    if (slots[at + keyWords] == 0) {
      System.arraycopy(key, 0, slots, at, keyWords);
      used[size++] = at;
    }
    slots[at + keyWords] += packets;
    slots[at + keyWords + 1] += bytes;
  }

  private boolean hasKey(int at, long[] key) {
    for (int word = 0; word < keyWords; word++) {
      if (slots[at + word] != key[word]) {
        return false;
      }
    }
    return slots[at + keyWords] != 0;
  }

  private int find(long[] key) {
    long hash = 0;
    for (int word = 0; word < keyWords; word++) {
      hash = (hash ^ key[word]) * SPREAD;
      hash ^= hash >>> 32;
    }
    int slot = (int) ((hash * SPREAD) >>> (Long.SIZE - SLOTS_LOG2));
    while (true) {
      int at = slot * entryWords;
      if (slots[at + keyWords] == 0 || hasKey(at, key)) {
        return at;
      }
      slot = (slot + 1) & (SLOTS - 1);
    }
  }

  int size() {
    return size;
  }

  long keyWord(int entry, int word) {
    return slots[used[entry] + word];
  }

  long packets(int entry) {
    return slots[used[entry] + keyWords];
  }

  long bytes(int entry) {
    return slots[used[entry] + keyWords + 1];
  }

  void clear() {
    for (int entry = 0; entry < size; entry++) {
      Arrays.fill(slots, used[entry], used[entry] + entryWords, 0);
    }
    size = 0;
  }
}
