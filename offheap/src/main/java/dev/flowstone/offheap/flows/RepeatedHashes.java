// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import java.util.Arrays;

/** Finds the hashes that were added more than once: those of flows with several entries. */
final class RepeatedHashes {
  private int[] hashes = new int[1024];
  private int count;

  void add(int hash) {
    if (count == hashes.length) {
      hashes = Arrays.copyOf(hashes, 2 * count);
    }
    hashes[count++] = hash;
  }

  /** No more are added. Keeps one of each that is repeated, in order. */
  void close() {
    Arrays.sort(hashes, 0, count);
    int repeated = 0;
    for (int i = 1; i < count; i++) {
      boolean isFirst = repeated == 0 || hashes[repeated - 1] != hashes[i];
      if (hashes[i] == hashes[i - 1] && isFirst) {
        hashes[repeated++] = hashes[i];
      }
    }
    hashes = Arrays.copyOf(hashes, repeated);
    count = repeated;
  }

  boolean contains(int hash) {
    return Arrays.binarySearch(hashes, hash) >= 0;
  }
}
