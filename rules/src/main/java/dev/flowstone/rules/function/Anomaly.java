// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.function;

import dev.flowstone.rules.Match;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Alerts in place of packets. */
public record Anomaly(List<Detector> detectors) implements ServiceFunction {
  /** One of each kind. */
  public static final int MOST_DETECTORS = Detector.Kind.values().length;

  public Anomaly {
    detectors = List.copyOf(detectors);
    if (detectors.isEmpty() || detectors.size() > MOST_DETECTORS) {
      throw new IllegalArgumentException(
          "anomaly takes 1 to " + MOST_DETECTORS + " detectors: " + detectors.size());
    }
    Set<Detector.Kind> kinds = EnumSet.noneOf(Detector.Kind.class);
    for (Detector detector : detectors) {
      if (!kinds.add(detector.kind())) {
        throw new IllegalArgumentException("two detectors of one rule are " + detector.kind());
      }
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
