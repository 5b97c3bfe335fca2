// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.stages;

import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The names under which an operator counts rules. Flink keeps a metric until its task ends, so the
 * number of names is bounded: the first {@value #MAX_NAMES} rules have their own. All later ones
 * share {@value #OTHERS}, so that sums over rules stay right. One thread.
 */
public final class RuleLabels {
  /** No rule may have this name. */
  public static final String OTHERS = "(others)";

  static final int MAX_NAMES = 1 << 13;

  private static final Logger LOG = LoggerFactory.getLogger(RuleLabels.class);

  private final Set<String> names = new HashSet<>();
  private boolean full;

  /** The rule's own name, or {@link #OTHERS}. */
  public String of(String rule) {
    if (names.contains(rule) || (names.size() < MAX_NAMES && names.add(rule))) {
      return rule;
    }
    if (!full) {
      full = true;
      LOG.warn(
          "more than {} rules since this task started: later ones, from {} on, are counted as {};"
              + " restart the job to count them by name",
          MAX_NAMES,
          rule,
          OTHERS);
    }
    return OTHERS;
  }
}
