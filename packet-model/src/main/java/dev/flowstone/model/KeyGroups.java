// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model;

/** Flink's key groups of a flow hash. */
public final class KeyGroups {
  private KeyGroups() {}

  public static int keyGroup(int flowHash, int maxParallelism) {
    return murmur(flowHash) % maxParallelism;
  }

  public static byte[] ringTable(int maxParallelism, int rings) {
    byte[] table = new byte[maxParallelism];
    for (int group = 0; group < maxParallelism; group++) {
      table[group] = (byte) (group * rings / maxParallelism);
    }
    return table;
  }

  private static int murmur(int code) {
    int c = code * 0xcc9e2d51;
    c = Integer.rotateLeft(c, 15) * 0x1b873593;
    c = Integer.rotateLeft(c, 13) * 5 + 0xe6546b64;
    c ^= 4;
    c ^= c >>> 16;
    c *= 0x85ebca6b;
    c ^= c >>> 13;
    c *= 0xc2b2ae35;
    c ^= c >>> 16;
    return c >= 0 ? c : c == Integer.MIN_VALUE ? 0 : -c;
  }
}
