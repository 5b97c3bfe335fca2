// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How fast a job works on what {@link CountedBlocks} counts.
 *
 * @param perCore packets per second of CPU time of this process, Flink's threads, compilers and
 *     collectors with it: what one core does, whoever else wants it meanwhile
 * @param byTheClock packets per second
 * @param packets in all windows
 * @param results that {@link CountedResults} counted in them
 */
record FlinkRates(Windows perCore, Windows byTheClock, long packets, long results) {

  /** What is done between two looks. */
  private record Window(long packets, long cpuNs, long ns) {
    static Window during(Runnable wait) {
      long startPackets = CountedBlocks.PACKETS.sum();
      long startCpuNs = CpuTime.ofNs(ProcessHandle.current());
      long startNs = System.nanoTime();
      wait.run();
      return new Window(
          CountedBlocks.PACKETS.sum() - startPackets,
          CpuTime.betweenNs(startCpuNs, CpuTime.ofNs(ProcessHandle.current())),
          System.nanoTime() - startNs);
    }
  }

  static FlinkRates of(FlinkRun run, BenchScale scale) throws Exception {
    Windows.awaitGrowth(CountedBlocks.PACKETS::sum);
    Windows.await(scale.warmUp());
    return of(
        run, scale.windows(), () -> Windows.await(scale.window(), CountedBlocks.PACKETS::sum));
  }

  /** Where what is done for packets goes by their time: until so many were read, once. */
  static FlinkRates ofPackets(FlinkRun run, long packets, Duration limit) throws Exception {
    return of(run, 1, () -> CountedBlocks.await(packets, limit));
  }

  /**
   * In so many windows.
   *
   * @param wait for the end of one
   */
  static FlinkRates of(FlinkRun run, int count, Runnable wait) throws Exception {
    long startResults = CountedResults.RESULTS.sum();
    List<Window> windows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      windows.add(Window.during(wait));
    }
    run.requireRunning();
    run.requireRoom();
    return new FlinkRates(
        new Windows(windows.stream().map(each -> each.packets * 1e9 / each.cpuNs).toList()),
        new Windows(windows.stream().map(each -> each.packets * 1e9 / each.ns).toList()),
        windows.stream().mapToLong(Window::packets).sum(),
        CountedResults.RESULTS.sum() - startResults);
  }

  /** How much of a figure is telling, which depends on the traffic's rate. */
  Object packetsPerResult() {
    return results == 0 ? "no result" : (double) packets / results;
  }

  /** As it stands in a line, each key with the same ending. */
  Map<String, Object> toKeys(String ending) {
    Map<String, Object> keys = new LinkedHashMap<>();
    keys.put("figure" + ending, perCore.median());
    keys.put("range" + ending, perCore.range());
    keys.put("by_the_clock" + ending, byTheClock.median());
    return keys;
  }
}
