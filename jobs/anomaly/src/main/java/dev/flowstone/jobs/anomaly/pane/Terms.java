// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.pane;

import dev.flowstone.results.RuleTag;
import dev.flowstone.rules.function.Detector;
import java.io.Serializable;

/**
 * What holds for one subject of a detector; travels with its panes, so that whoever judges them
 * needs to know no rules.
 *
 * @param detector as results call it
 * @param panes that make a window
 * @param threshold the detector's, or that of the prefix
 * @param prefix which has a threshold of its own, or {@link #NO_PREFIX}
 * @param baselineTimes 0: there is no baseline
 * @param leastCompletedPercent 0: it is not asked for
 */
public record Terms(
    RuleTag rule,
    String detector,
    Detector.Kind kind,
    long slideNs,
    int panes,
    long threshold,
    String prefix,
    int baselineTimes,
    long halfLifeNs,
    int leastCompletedPercent)
    implements Serializable {
  public static final String NO_PREFIX = "";

  private static final long NS_PER_MS = 1_000_000;

  public long windowNs() {
    return slideNs * panes;
  }

  public long endNs(long pane) {
    return (pane + 1) * slideNs;
  }

  /** The watermark that says that nothing of this pane is to come. */
  public long lastMs(long pane) {
    return Math.ceilDiv(endNs(pane), NS_PER_MS) - 1;
  }

  /** Which pane's last millisecond it is; no two share one, as a slide is one or more. */
  public long paneOf(long lastMs) {
    return Math.floorDiv((lastMs + 1) * NS_PER_MS, slideNs) - 1;
  }
}
