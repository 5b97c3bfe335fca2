// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * SYNs without ACK in tumbling windows of five seconds, aligned to the epoch, per destination.
 *
 * <p>Synthetic time only goes forward, so one array of counts is enough: it is read and cleared
 * when the first SYN of a later window comes.
 */
final class SynWindows {
  static final long WINDOW_NS = 5_000_000_000L;
  static final int THRESHOLD = 10;

  /** Windows over the threshold kept one by one; later ones are only counted. */
  static final int MAX_LISTED = 1_000_000;

  /** A (window, destination) with more SYNs than the threshold. */
  record Burst(long windowStartNs, int destination, int syns) {}

  private final int[] syns;
  private final List<Burst> listed = new ArrayList<>();
  private long windowStartNs;
  private long windowEndNs;
  private long withAny;
  private long overThreshold;
  private long exactlyThreshold;
  private long oneOverThreshold;
  private int largest;

  SynWindows(int destinations) {
    syns = new int[destinations];
  }

  private SynWindows(SynWindows other) {
    syns = other.syns.clone();
    listed.addAll(other.listed);
    windowStartNs = other.windowStartNs;
    windowEndNs = other.windowEndNs;
    withAny = other.withAny;
    overThreshold = other.overThreshold;
    exactlyThreshold = other.exactlyThreshold;
    oneOverThreshold = other.oneOverThreshold;
    largest = other.largest;
  }

  void record(int destination, long timeNs) {
    if (timeNs >= windowEndNs) {
      closeWindow();
      windowStartNs = timeNs - timeNs % WINDOW_NS;
      windowEndNs = windowStartNs + WINDOW_NS;
    }
    syns[destination]++;
  }

  /** As if the present window ended now; this object goes on counting. */
  SynWindows closed() {
    SynWindows copy = new SynWindows(this);
    copy.closeWindow();
    return copy;
  }

  private void closeWindow() {
    for (int destination = 0; destination < syns.length; destination++) {
      if (syns[destination] > 0) {
        count(destination, syns[destination]);
      }
    }
    Arrays.fill(syns, 0);
  }

  private void count(int destination, int count) {
    withAny++;
    largest = Math.max(largest, count);
    exactlyThreshold += count == THRESHOLD ? 1 : 0;
    oneOverThreshold += count == THRESHOLD + 1 ? 1 : 0;
    if (count > THRESHOLD) {
      overThreshold++;
      if (listed.size() < MAX_LISTED) {
        listed.add(new Burst(windowStartNs, destination, count));
      }
    }
  }

  List<Burst> listed() {
    return List.copyOf(listed);
  }

  long withAny() {
    return withAny;
  }

  long overThreshold() {
    return overThreshold;
  }

  long exactlyThreshold() {
    return exactlyThreshold;
  }

  long oneOverThreshold() {
    return oneOverThreshold;
  }

  int largest() {
    return largest;
  }
}
