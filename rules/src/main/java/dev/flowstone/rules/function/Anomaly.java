// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.function;

import dev.flowstone.rules.Match;
import java.util.HashSet;
import java.util.List;

/** Alerts in place of packets. */
public record Anomaly(List<Detector> detectors) implements ServiceFunction {
  /** Several of a kind may differ, such as in their windows. */
  public static final int MOST_DETECTORS = 16;

  public Anomaly {
    detectors = List.copyOf(detectors);
    if (detectors.isEmpty() || detectors.size() > MOST_DETECTORS) {
      throw new IllegalArgumentException(
          "anomaly takes 1 to " + MOST_DETECTORS + " detectors: " + detectors.size());
    }
    if (new HashSet<>(detectors).size() < detectors.size()) {
      throw new IllegalArgumentException("two detectors of one rule are the same");
    }
  }

  @Override
  public void requireFedBy(Match match) {
    detectors.forEach(detector -> detector.requireFedBy(match));
  }

  @Override
  public String name() {
    return "anomaly";
  }
}
