// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import java.lang.foreign.MemorySegment;
import java.time.Duration;

/**
 * Prints what it costs to have flows in state for which memory has no room, at worst: each page
 * leaves before the next packet of it comes. Run by hand.
 */
@SuppressWarnings("try")
final class EvictionCost {
  private static final int FLOWS = 1_000_000;
  private static final int LAPS = 6;

  private EvictionCost() {}

  public static void main(String[] arguments) throws Exception {
    FlowHarness.Backend backend = FlowHarness.Backend.valueOf(arguments[0]);
    run("all in memory", backend, FlowRoom.inMemoryAlone(FLOWS));
    run("a quarter in memory", backend, new FlowRoom(FLOWS / 4, FLOWS));
  }

  private static void run(String name, FlowHarness.Backend backend, FlowRoom room)
      throws Exception {
    FlowRecords function = new FlowRecords(Duration.ofDays(1), Duration.ofDays(1));
    MemorySegment records = FlowStateCost.records(FLOWS);
    try (FlowHarness<FlowRecord> harness =
        FlowHarness.of(function, KeyedBlockOperator.onBlocks(function, room), backend, 1, 0)) {
      harness.open();
      for (int lap = 0; lap < LAPS; lap++) {
        long pages = harness.flows.pagesBroughtBack();
        long withoutRoom = harness.flows.packetsWithoutRoom();
        long begin = System.nanoTime();
        long beginCpu = FlowStateCost.cpuNs();
        FlowStateCost.give(harness, records, FLOWS);
        System.out.printf(
            "%s, %s: %.0f ns for each packet (CPU %.0f), %,d pages brought back, %,d packets"
                + " without room%n",
            backend,
            name,
            (double) (System.nanoTime() - begin) / FLOWS,
            (double) (FlowStateCost.cpuNs() - beginCpu) / FLOWS,
            harness.flows.pagesBroughtBack() - pages,
            harness.flows.packetsWithoutRoom() - withoutRoom);
      }
    }
  }
}
