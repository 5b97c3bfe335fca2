// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.function;

import java.util.List;

/** Alerts in place of packets. */
public record Anomaly(List<Detector> detectors) implements ServiceFunction {
  public static final int MOST_DETECTORS = 16;

  public Anomaly {
    detectors = List.copyOf(detectors);
    if (detectors.isEmpty() || detectors.size() > MOST_DETECTORS) {
      throw new IllegalArgumentException(
          "anomaly takes 1 to " + MOST_DETECTORS + " detectors: " + detectors.size());
    }
  }

  @Override
  public String name() {
    return "anomaly";
  }
}
