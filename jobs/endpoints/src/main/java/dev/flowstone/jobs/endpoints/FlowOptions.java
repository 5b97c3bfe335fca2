// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import dev.flowstone.operators.FlowRoom;
import dev.flowstone.operators.histogram.HistogramRoom;
import dev.flowstone.operators.ruled.LiveRules;
import picocli.CommandLine.Option;

/** What a job may keep of flows. */
public final class FlowOptions {
  @Option(
      names = "--most-flows",
      paramLabel = "N",
      description =
          "Flows that one subtask has room for in memory: 88 bytes each, with a histogram per flow 0.9"
              + " KB with one digit. Default ${DEFAULT-VALUE}.")
  public int mostFlows = FlowRoom.USUAL.inMemory();

  @Option(
      names = "--most-evicted-flows",
      paramLabel = "N",
      description =
          "Flows beyond these that wait in Flink's state, on disk with RocksDB, while they have no"
              + " packets. Packets of flows beyond both are counted and in no result. Default"
              + " ${DEFAULT-VALUE}.")
  public int mostEvictedFlows = FlowRoom.USUAL.inState();

  @Option(
      names = "--histogram-bytes",
      paramLabel = "N",
      description =
          "Bytes that each flow has for its histograms, used or not: rules that come later and need"
              + " more are refused. 24 without histograms per flow; their sizes stand in"
              + " jobs/histogram/README.md. Default: what the rules at the start need.")
  public Integer histogramBytes;

  /** Throws for a value that makes no sense, by the name of its option. */
  public void requireSense() {
    AllowedRange.require("--most-flows", mostFlows, 1, FlowRoom.MOST_FLOWS);
    AllowedRange.require("--most-evicted-flows", mostEvictedFlows, 0, FlowRoom.MOST_FLOWS);
  }

  public FlowRoom room() {
    return new FlowRoom(mostFlows, mostEvictedFlows);
  }

  /**
   * What the rules at the start need, or the more that is asked for.
   *
   * @throws IllegalArgumentException if they need more than there can be
   */
  public HistogramRoom ofHistograms(LiveRules live) {
    HistogramRoom needed = HistogramRoom.of(live.begin());
    return histogramBytes == null ? needed : needed.withFlowBytes(histogramBytes);
  }
}
