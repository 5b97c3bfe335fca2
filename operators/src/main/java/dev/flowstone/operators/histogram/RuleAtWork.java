// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import java.util.function.Consumer;

/** A rule's histograms in one subtask. Whoever opens it closes it; one thread. */
final class RuleAtWork implements AutoCloseable {
  /** Beyond, times are not those of packets, and their sums would not be numbers any more. */
  private static final long FARTHEST_NS = 1L << 62;

  private static final long MOST_SLOTS = 1 << 16;

  /** Intervals that may be open at the same time, where there are no prefixes. */
  private static final long USUAL_SLOTS = 8;

  final HistogramRule rule;
  final AddressPrefix prefix;

  /** Null: histograms per flow are in the table of flows. */
  final Partials partials;

  /** Intervals that began before have been told. */
  long openNs = Long.MIN_VALUE;

  private long currentEndNs = Long.MIN_VALUE;

  /**
   * A rule with room for partial sums.
   *
   * @param bytes for them; two find room in any case
   */
  RuleAtWork(HistogramRule rule, long bytes, CountsCode code, Consumer<HistogramPart> parts) {
    this.rule = rule;
    prefix = new AddressPrefix(rule.options.per(), rule.options.prefixes());
    partials =
        rule.isPerFlow() ? null : new Partials(rule, prefix, slots(rule, bytes), code, parts);
  }

  private static int slots(HistogramRule rule, long bytes) {
    long wanted = rule.options.per().isPrefix() ? MOST_SLOTS : USUAL_SLOTS;
    return (int) Math.clamp(bytes / rule.intervalBytes, 2, wanted);
  }

  /** End of the interval of a time; of one that has been told that of the first that is open. */
  long endOf(long timeNs) {
    long countsNs = Math.max(timeNs, openNs);
    if (countsNs >= currentEndNs || currentEndNs - countsNs > rule.intervalNs) {
      currentEndNs = rule.beginOf(countsNs) + rule.intervalNs;
    }
    return currentEndNs;
  }

  void advance(long nowNs) {
    if (partials != null) {
      partials.tellEnded(nowNs);
    }
    openNs = rule.beginOf(Math.clamp(nowNs, -FARTHEST_NS, FARTHEST_NS));
  }

  @Override
  public void close() {
    if (partials != null) {
      partials.close();
    }
  }
}
