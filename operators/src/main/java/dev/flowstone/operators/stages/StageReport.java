// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.stages;

import dev.flowstone.results.Result;
import dev.flowstone.results.ResultFields;
import dev.flowstone.results.RuleTag;
import dev.flowstone.stages.StageCounts;
import dev.flowstone.stages.StageScope;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;
import java.util.regex.Pattern;

/**
 * What a stage has counted since its attempt began, of one rule or ring or of all its packets. The
 * one kind of result that packets alone do not make: it has the host's time.
 *
 * @param isLast told at the end of the job's input, when all packets have passed
 */
public record StageReport(StageCounts counts, long timeNs, boolean isLast) implements Result {
  public static final String KIND = "stage";

  /** What no rule is called: counters of all packets, whatever their rule. */
  static final String EVERY_RULE = "*";

  private static final String RULE = "rule";

  /** What tells a ring. */
  private static final Set<String> RINGS = Set.of("taprings", "ring");

  private static final long NS_PER_MS = 1_000_000;

  /** A counter of such a name would be taken for something else. */
  private static final Set<String> TAKEN =
      Set.of(
          "kind",
          "time",
          "time_ns",
          "rule",
          "flow_id",
          "result_key",
          "job",
          "stage",
          "subtask",
          "since_ns",
          "last",
          "taprings",
          "ring",
          "group");

  private static final int LONGEST_NAME = 80;
  private static final Pattern WORD_BEGIN = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");
  private static final Pattern OTHERS = Pattern.compile("[^a-z0-9]+");

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public RuleTag rule() {
    return RuleTag.of(counts.scope().labels().getOrDefault(RULE, EVERY_RULE));
  }

  @Override
  public void describe(ResultFields fields) {
    fields.key("job", counts.job());
    fields.key("stage", counts.stage());
    fields.key("subtask", counts.subtask());
    describeScope(fields);
    fields.number("since_ns", counts.sinceMs() * NS_PER_MS);
    if (isLast) {
      fields.number("last", 1);
    }
    Set<String> taken = new HashSet<>(TAKEN);
    counts
        .values()
        .forEach(
            (name, value) -> {
              String field = fieldName(name, taken);
              if (value instanceof Double real) {
                fields.number(field, real);
              } else {
                fields.number(field, value.longValue());
              }
            });
  }

  /** Groups that functions of users make are one text, whatever they are called. */
  private void describeScope(ResultFields fields) {
    StringJoiner others = new StringJoiner(".");
    counts
        .scope()
        .labels()
        .forEach(
            (label, value) -> {
              if (RINGS.contains(label)) {
                fields.key(label, value);
              } else if (!label.equals(RULE)) {
                others.add(label.equals(StageScope.NAMES) ? value : label + "." + value);
              }
            });
    if (others.length() > 0) {
      fields.key("group", others.toString());
    }
  }

  /** In snake_case, and the only one of that name; functions of users may call theirs anything. */
  private static String fieldName(String name, Set<String> taken) {
    String words =
        OTHERS
            .matcher(WORD_BEGIN.matcher(name).replaceAll("_").toLowerCase(Locale.ROOT))
            .replaceAll("_");
    String field = words.substring(0, Math.min(words.length(), LONGEST_NAME));
    if (!field.matches("[a-z].*")) {
      field = "metric_" + field;
    }
    String free = field;
    for (int next = 2; !taken.add(free); next++) {
      free = field + "_" + next;
    }
    return free;
  }
}
