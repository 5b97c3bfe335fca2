// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.alert;

import dev.flowstone.jobs.anomaly.pane.Pane;
import dev.flowstone.jobs.anomaly.sketch.DistinctCount;
import dev.flowstone.rules.function.Detector;

/** What of a window is held against the threshold. */
final class Measure {
  private Measure() {}

  /** Packets of a flood, targets of a scan. */
  static long of(Detector.Kind kind, Pane window) {
    return switch (kind) {
      case SYN_FLOOD, UDP_FLOOD, ICMP_FLOOD, RST_FLOOD, AMPLIFICATION -> window.packets();
      case PORT_SCAN, HOST_SCAN -> distinct(window);
    };
  }

  static long distinct(Pane window) {
    DistinctCount count = new DistinctCount();
    count.addAll(window.distinct());
    return count.estimate();
  }
}
