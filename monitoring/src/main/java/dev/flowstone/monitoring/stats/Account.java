// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.stats;

import static dev.flowstone.monitoring.stats.KnownStage.CHOICE;
import static dev.flowstone.monitoring.stats.KnownStage.FLOWS;
import static dev.flowstone.monitoring.stats.KnownStage.PACKING;
import static dev.flowstone.monitoring.stats.KnownStage.PANES;
import static dev.flowstone.monitoring.stats.KnownStage.RULES;
import static dev.flowstone.monitoring.stats.KnownStage.SOURCE;
import static dev.flowstone.monitoring.stats.KnownStage.USER;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;

/**
 * Each stage's counters held against those of the next. Both of a pair were counted in a place of
 * their own, so a packet that goes missing between two places shows as the pair of these.
 *
 * @param operators the known stages of a job
 */
public record Account(List<OperatorCounters> operators) {
  /** Where rules send packets. */
  private static final Set<KnownStage> FUNCTIONS = EnumSet.of(CHOICE, FLOWS, PANES, USER);

  /**
   * Two counters that are equal when nothing is on its way between them.
   *
   * @param at the stage that the packets had come to
   */
  public record Pair(KnownStage at, String name, long count, String otherName, long otherCount) {
    public boolean isEqual() {
      return count == otherCount;
    }

    /** While packets move: what the one had at first, the other has a while later. */
    public boolean mayBecomeEqual(Pair later) {
      return count <= later.otherCount && otherCount <= later.count;
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%s %,d, but %s %,d: %,d %s",
          name,
          count,
          otherName,
          otherCount,
          Math.abs(count - otherCount),
          otherCount < count ? "missing" : "too many");
    }
  }

  private List<OperatorCounters> of(Set<KnownStage> stages) {
    return operators.stream()
        .filter(operator -> stages.contains(KnownStage.of(operator).orElseThrow()))
        .toList();
  }

  private boolean has(Set<KnownStage> stages) {
    return !of(stages).isEmpty();
  }

  private boolean has(KnownStage stage) {
    return has(EnumSet.of(stage));
  }

  private long in(Set<KnownStage> stages) {
    return of(stages).stream()
        .mapToLong(operator -> KnownStage.of(operator).orElseThrow().in(operator))
        .sum();
  }

  private long in(KnownStage stage) {
    return in(EnumSet.of(stage));
  }

  private long out(KnownStage stage) {
    return of(EnumSet.of(stage)).stream().mapToLong(stage::out).sum();
  }

  private long leftOut(KnownStage stage) {
    return of(EnumSet.of(stage)).stream()
        .flatMap(operator -> stage.leftOut(operator).stream())
        .mapToLong(KnownStage.LeftOut::count)
        .sum();
  }

  public List<Pair> pairs() {
    List<Pair> pairs = new ArrayList<>();
    if (of(EnumSet.of(SOURCE)).stream().anyMatch(SOURCE::hasIn)) {
      pairs.add(
          new Pair(SOURCE, "read from rings", in(SOURCE), "sent on by the source", out(SOURCE)));
    }
    if (has(SOURCE) && has(RULES)) {
      pairs.add(new Pair(RULES, "sent on by the source", out(SOURCE), "given a rule", in(RULES)));
    } else if (has(SOURCE) && has(PACKING)) {
      pairs.add(
          new Pair(PACKING, "sent on by the source", out(SOURCE), "to be packed", in(PACKING)));
    }
    if (has(RULES)) {
      pairs.add(new Pair(RULES, "given a rule", in(RULES), "counted by rule", out(RULES)));
    }
    if (has(RULES) && has(FUNCTIONS)) {
      pairs.add(
          new Pair(
              RULES,
              "of rules that do not drop",
              out(RULES) - leftOut(RULES),
              "given to functions",
              in(FUNCTIONS)));
    }
    if (has(CHOICE)) {
      pairs.add(
          new Pair(
              CHOICE,
              "to be sampled",
              in(CHOICE),
              "chosen + left out",
              out(CHOICE) + leftOut(CHOICE)));
    }
    if (has(CHOICE) && has(PACKING)) {
      pairs.add(new Pair(PACKING, "chosen", out(CHOICE), "to be packed", in(PACKING)));
    }
    if (has(PACKING)) {
      pairs.add(new Pair(PACKING, "to be packed", in(PACKING), "in messages", out(PACKING)));
    }
    return pairs;
  }

  /** Where the packets are that were read, in one line. */
  public String equation() {
    StringJoiner terms = new StringJoiner(" + ");
    for (OperatorCounters function : of(FUNCTIONS)) {
      terms.add(term(KnownStage.of(function).orElseThrow().in(function), "in " + function.title()));
    }
    if (leftOut(RULES) > 0) {
      terms.add(term(leftOut(RULES), "dropped by rules"));
    }
    if (terms.length() == 0 && has(PACKING)) {
      terms.add(term(out(PACKING), "in messages"));
    }
    return String.format(Locale.ROOT, "read %,d", in(SOURCE))
        + (terms.length() == 0 ? "" : " = " + terms);
  }

  private static String term(long count, String where) {
    return String.format(Locale.ROOT, "%,d %s", count, where);
  }
}
