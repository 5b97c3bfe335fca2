// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.count;

import java.util.Locale;

/**
 * How much of a capture may be kept in memory. Nothing is kept of a packet: memory goes to flows
 * and SYN windows, and to the times of the few flows that must be sorted. Beyond a limit the
 * capture gets an error instead of an answer.
 *
 * @param flows flows by direction
 * @param synWindows windows, destinations and ports with a SYN
 * @param sortedTimes times of a capture that are sorted at once
 */
public record InspectLimits(int flows, int synWindows, int sortedTimes) {
  static final String REMEDY =
      "split it (editcap -c PACKETS), or raise -Xmx in inspect/jvm.options";

  /** With its share of the tuple and of a table that is a quarter full. */
  private static final int FLOW_BYTES = 200;

  /** Where it is counted and where the report is made of the counts. */
  private static final int SYN_WINDOW_BYTES = 500;

  private static final int FLOWS_PERCENT = 55;
  private static final int SYN_WINDOWS_PERCENT = 20;

  /** Times are sorted when flows and windows are no longer kept. */
  private static final int SORTED_TIMES_PERCENT = 50;

  /** The longest array that every JVM can make. */
  private static final int MOST_TIMES = Integer.MAX_VALUE - 8;

  /** What fits into a heap when one large capture is in hand. */
  public static InspectLimits ofHeap(long heapBytes) {
    return new InspectLimits(
        fitting(heapBytes, FLOWS_PERCENT, FLOW_BYTES, 1 << 28),
        fitting(heapBytes, SYN_WINDOWS_PERCENT, SYN_WINDOW_BYTES, 1 << 28),
        fitting(heapBytes, SORTED_TIMES_PERCENT, Long.BYTES, MOST_TIMES));
  }

  private static int fitting(long heapBytes, int percent, int bytesEach, int most) {
    return (int) Math.min(heapBytes / 100 * percent / bytesEach, most);
  }

  public void requireFlows(int count) {
    require(count, flows, "flows by direction");
  }

  public void requireSynWindows(int count) {
    require(count, synWindows, "SYN windows by destination and port");
  }

  public void requireSortedTimes(long count) {
    require(count, sortedTimes, "packets in top flows whose times must be sorted");
  }

  private static void require(long count, int most, String what) {
    if (count > most) {
      throw new InspectException(
          String.format(
              Locale.ROOT,
              "the capture has too many %s: at least %,d, room for %,d; %s",
              what,
              count,
              most,
              REMEDY));
    }
  }
}
