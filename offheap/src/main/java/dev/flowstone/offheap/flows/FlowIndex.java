// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

/**
 * Where the entries of one key group lie, by the hash of their flow. Open addressing, at most half
 * full and, but for the smallest, at least an eighth. A slot has all of the hash in its upper half
 * and where the entry is in its lower half, so that the index grows and shrinks without a look at
 * the entries. One thread.
 *
 * <p>Entries of one hash are met in the order in which they were added, whatever is added, removed
 * and moved meanwhile: of a flow with several of them a search always finds the same one first.
 *
 * <p>It lives in this process alone, as the hash does.
 */
final class FlowIndex {
  static final long FREE = 0;

  /** Entries begin at multiples of eight bytes; 1 is added, so that none has the place of FREE. */
  private static final int ALIGNMENT_LOG2 = 3;

  private static final long LOWER = 0xffff_ffffL;

  /** As far as a place can tell. */
  static final long MOST_BYTES = LOWER << ALIGNMENT_LOG2;

  private static final int FIRST_SLOTS = 16;

  /** A power of two of them; the table's loop reads here itself. */
  long[] slots = new long[FIRST_SLOTS];

  private int count;

  static int hashOf(long slot) {
    return (int) (slot >>> Integer.SIZE);
  }

  static long entryOf(long slot) {
    return ((slot & LOWER) - 1) << ALIGNMENT_LOG2;
  }

  int home(int hash) {
    return hash & slots.length - 1;
  }

  int next(int slot) {
    return slot + 1 & slots.length - 1;
  }

  void add(int hash, long entry) {
    if (count >= slots.length / 2) {
      resize(slots.length * 2);
    }
    put(content(hash, entry));
    count++;
  }

  private static long content(int hash, long entry) {
    return (long) hash << Integer.SIZE | (entry >>> ALIGNMENT_LOG2) + 1;
  }

  private void put(long content) {
    int slot = home(hashOf(content));
    while (slots[slot] != FREE) {
      slot = next(slot);
    }
    slots[slot] = content;
  }

  /** Once round from behind a free slot: what passed the end comes after what it passed. */
  private void resize(int length) {
    long[] former = slots;
    int free = 0;
    while (former[free] != FREE) {
      free++;
    }
    slots = new long[length];
    for (int i = 1; i < former.length; i++) {
      long content = former[free + i & former.length - 1];
      if (content != FREE) {
        put(content);
      }
    }
  }

  /** Says that an entry, and nothing else, is elsewhere now. */
  void move(int hash, long from, long to) {
    slots[slotOf(hash, from)] = content(hash, to);
  }

  /** The content of the first slot with a hash, or FREE. */
  long contentOf(int hash) {
    int slot = home(hash);
    while (slots[slot] != FREE && hashOf(slots[slot]) != hash) {
      slot = next(slot);
    }
    return slots[slot];
  }

  /** Whether at most one entry has a hash. */
  boolean isAlone(int hash) {
    int found = 0;
    for (int slot = home(hash); slots[slot] != FREE; slot = next(slot)) {
      found += hashOf(slots[slot]) == hash ? 1 : 0;
    }
    return found <= 1;
  }

  /** The slot of an entry that is here. */
  int slotOf(int hash, long entry) {
    int slot = home(hash);
    while (entryOf(slots[slot]) != entry) {
      if (slots[slot] == FREE) {
        throw new IllegalStateException("no flow is at byte " + entry + " of the table");
      }
      slot = next(slot);
    }
    return slot;
  }

  /** Later flows move up, so that a search may go on to end at the first free slot. */
  void remove(int hash, long entry) {
    int hole = slotOf(hash, entry);
    int mask = slots.length - 1;
    for (int slot = next(hole); slots[slot] != FREE; slot = next(slot)) {
      int fromHome = slot - home(hashOf(slots[slot])) & mask;
      if (fromHome >= (slot - hole & mask)) {
        slots[hole] = slots[slot];
        hole = slot;
      }
    }
    slots[hole] = FREE;
    count--;
    if (slots.length > FIRST_SLOTS && count < slots.length / 8) {
      resize(slots.length / 2);
    }
  }

  /** Slots that one search for each flow passes in vain, counted on demand. */
  long slotsPassed() {
    long passed = 0;
    for (int slot = 0; slot < slots.length; slot++) {
      if (slots[slot] != FREE) {
        passed += slot - home(hashOf(slots[slot])) & slots.length - 1;
      }
    }
    return passed;
  }
}
