// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import dev.flowstone.offheap.flows.FlowTableSize;
import dev.flowstone.operators.ruled.FunctionKind;
import dev.flowstone.operators.ruled.RulesCheck;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.rules.RuleSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What the histograms of a job may take in each subtask. It is said when the job starts, and rules
 * that come later have to do with it.
 *
 * @param flowBytes of each flow behind its key
 * @param partialBytes of sums by rule and prefix, which all rules share; each finds two there
 */
public record HistogramRoom(int flowBytes, long partialBytes) implements RulesCheck {
  private static final long serialVersionUID = 1L;

  static final int MOST_FLOW_BYTES = FlowTableSize.MOST_STATE_BYTES;

  private static final long USUAL_PARTIAL_BYTES = 64L << 20;
  private static final long MOST_PARTIAL_BYTES = 1L << 30;

  public HistogramRoom {
    if (flowBytes < FlowMemory.WITHOUT_INTERVAL_BYTES || flowBytes > MOST_FLOW_BYTES) {
      throw new IllegalArgumentException(
          "--histogram-bytes must be %d to %d: %d"
              .formatted(FlowMemory.WITHOUT_INTERVAL_BYTES, MOST_FLOW_BYTES, flowBytes));
    }
  }

  /**
   * As much as these rules need; of sums 64 MiB at least.
   *
   * @throws IllegalArgumentException if that is more than there can be
   */
  public static HistogramRoom of(RuleSet rules) {
    List<HistogramRule> made = histogramsOf(RulesInForce.of(0, rules));
    long sums = sumBytes(made);
    if (sums > MOST_PARTIAL_BYTES) {
      throw new IllegalArgumentException(
          "two histograms of each of %,d rules take %,d bytes in each subtask, %,d at most: fewer digits or smaller ranges"
              .formatted(made.size(), sums, MOST_PARTIAL_BYTES));
    }
    return new HistogramRoom(mostFlowBytes(made), Math.max(USUAL_PARTIAL_BYTES, sums));
  }

  /**
   * The same with so many bytes of each flow.
   *
   * @throws IllegalArgumentException if this has more already, or these are more than can be
   */
  public HistogramRoom withFlowBytes(int bytes) {
    if (bytes < flowBytes) {
      throw new IllegalArgumentException(
          "the rules at the start need %,d bytes of each flow, more than --histogram-bytes %,d"
              .formatted(flowBytes, bytes));
    }
    return new HistogramRoom(bytes, partialBytes);
  }

  static List<HistogramRule> histogramsOf(RulesInForce rules) {
    return IntStream.range(0, rules.size())
        .filter(rule -> rules.kind(rule) == FunctionKind.HISTOGRAM)
        .mapToObj(rule -> HistogramRule.of(rules, rule))
        .toList();
  }

  private static int mostFlowBytes(List<HistogramRule> rules) {
    return rules.stream()
        .mapToInt(HistogramRule::flowBytes)
        .max()
        .orElse(FlowMemory.WITHOUT_INTERVAL_BYTES);
  }

  /** Of the least number of sums with which rules can work. */
  private static long sumBytes(List<HistogramRule> rules) {
    return rules.stream()
        .filter(rule -> !rule.isPerFlow())
        .mapToLong(rule -> Partials.LEAST_SLOTS * (long) rule.intervalBytes)
        .sum();
  }

  @Override
  public void require(RulesInForce rules) {
    List<HistogramRule> made = histogramsOf(rules);
    for (HistogramRule rule : made) {
      if (rule.flowBytes() > flowBytes) {
        throw new IllegalArgumentException(
            "rule %s: its histograms take %,d bytes of each flow, and this job has room for %,d: start it with --histogram-bytes %d, where it goes on from its savepoint, or ask for fewer digits, a smaller range or per: rule"
                .formatted(rule.tag.name(), rule.flowBytes(), flowBytes, rule.flowBytes()));
      }
    }
    if (sumBytes(made) > partialBytes) {
      throw new IllegalArgumentException(
          "two histograms of each of %,d rules take %,d bytes in each subtask, and this job has room for %,d: start it with these rules, or ask for fewer digits or smaller ranges"
              .formatted(made.size(), sumBytes(made), partialBytes));
    }
  }
}
