// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

/** Bounds the lines about a failure that repeats: occurrences 1, 2, 4, 8 and so on are reported. */
final class RepeatedReason {
  private String latest = "";
  private int occurrences;

  /** Counts the failure; returns whether to report it. */
  boolean isNews(String reason) {
    occurrences = reason.equals(latest) ? occurrences + 1 : 1;
    latest = reason;
    return Integer.bitCount(occurrences) == 1;
  }
}
