// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** SYNs by destination in tumbling windows of 5 s, aligned to the epoch. Times only grow. */
final class SynWindows {
  static final long WINDOW_NS = 5_000_000_000L;

  /** Windows with more SYNs than this are listed. */
  static final int THRESHOLD = 10;

  /** Entries listed; every further one is only counted. */
  static final int MAX_LISTED = 1_000_000;

  record Entry(long windowStartNs, int destination, int syns) {}

  private final int[] syns;
  private final List<Entry> over = new ArrayList<>();
  private long overCount;
  private long windowEndNs = Long.MIN_VALUE;

  /** Counts for destinations numbered from 0. */
  SynWindows(int destinations) {
    syns = new int[destinations];
  }

  void add(int destination, long timeNs) {
    if (timeNs >= windowEndNs) {
      closeWindow();
      windowEndNs = timeNs - Math.floorMod(timeNs, WINDOW_NS) + WINDOW_NS;
    }
    syns[destination]++;
  }

  private void closeWindow() {
    for (int i = 0; i < syns.length; i++) {
      if (syns[i] > THRESHOLD) {
        overCount++;
        if (over.size() < MAX_LISTED) {
          over.add(new Entry(windowEndNs - WINDOW_NS, i, syns[i]));
        }
      }
    }
    Arrays.fill(syns, 0);
  }

  /** Ends the current window, too; nothing may be added afterwards. */
  List<Entry> close() {
    closeWindow();
    return over;
  }

  long overCount() {
    return overCount;
  }
}
