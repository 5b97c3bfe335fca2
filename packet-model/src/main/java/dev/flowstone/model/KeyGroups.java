// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model;

import dev.flowstone.model.abi.RingFileHeaderLayout;

/**
 * Flink's key groups of a flow hash, with Flink's own arithmetic: a record goes to the same subtask
 * whether a tap chose its ring or Flink hashed its key, an {@code Integer} flow hash.
 */
public final class KeyGroups {
  private KeyGroups() {}

  /** Flink's {@code KeyGroupRangeAssignment.assignToKeyGroup} of the key with this hash code. */
  public static int keyGroup(int flowHash, int maxParallelism) {
    int spread = murmur(flowHash);
    int mask = maxParallelism - 1;
    // Nearly always a power of two, where a division would take as long as all the rest.
    return (maxParallelism & mask) == 0 ? spread & mask : spread % maxParallelism;
  }

  /** The subtask that owns a key group at this parallelism. */
  public static int subtask(int keyGroup, int maxParallelism, int parallelism) {
    return keyGroup * parallelism / maxParallelism;
  }

  /** Which ring each key group goes to when there are as many rings as Flink has subtasks. */
  public static byte[] ringTable(int maxParallelism, int rings) {
    checkRange("maxParallelism", maxParallelism, RingFileHeaderLayout.MAX_KEY_GROUPS);
    checkRange("rings", rings, Math.min(maxParallelism, RingFileHeaderLayout.MAX_RINGS));
    byte[] table = new byte[maxParallelism];
    for (int keyGroup = 0; keyGroup < maxParallelism; keyGroup++) {
      table[keyGroup] = (byte) subtask(keyGroup, maxParallelism, rings);
    }
    return table;
  }

  private static void checkRange(String what, int value, int maximum) {
    if (value < 1 || value > maximum) {
      throw new IllegalArgumentException(what + " must be 1 to " + maximum + ": " + value);
    }
  }

  /** MurmurHash3 of one word, made non-negative the way Flink's {@code MathUtils} does it. */
  private static int murmur(int word) {
    int code = word * RingFileHeaderLayout.MURMUR_FIRST_FACTOR;
    code = Integer.rotateLeft(code, 15);
    code *= RingFileHeaderLayout.MURMUR_SECOND_FACTOR;
    code = Integer.rotateLeft(code, 13);
    code = code * 5 + RingFileHeaderLayout.MURMUR_ADDEND;
    code ^= Integer.BYTES;
    code ^= code >>> 16;
    code *= RingFileHeaderLayout.MURMUR_THIRD_FACTOR;
    code ^= code >>> 13;
    code *= RingFileHeaderLayout.MURMUR_FOURTH_FACTOR;
    code ^= code >>> 16;
    if (code >= 0) {
      return code;
    }
    return code == Integer.MIN_VALUE ? 0 : -code;
  }
}
