// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import java.util.Locale;

/** What becomes of a packet, as rules name it. */
enum Function {
  PASS,
  SAMPLE,
  AGGREGATE,
  HISTOGRAM,
  ANOMALY,
  USER,
  DROP;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
