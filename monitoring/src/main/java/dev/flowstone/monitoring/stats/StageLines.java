// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.stats;

import dev.flowstone.commandline.EscapedText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The stages as a table: packets, and what functions made of them. */
final class StageLines {
  private static final String INDENT = "  ";
  private static final int USUAL_NAME_WIDTH = 24;
  private static final String REST_OF_FORMAT = "s %15s %11s %15s   %s";

  private final List<OperatorCounters> now;
  private final Map<String, Long> earlierIn = new HashMap<>();
  private final double seconds;
  private final String format;
  private final List<String> lines = new ArrayList<>();

  private StageLines(List<OperatorCounters> earlier, List<OperatorCounters> now, double seconds) {
    this.now = now;
    this.seconds = seconds;
    format = "  %-" + nameWidth(now) + REST_OF_FORMAT;
    for (OperatorCounters operator : earlier) {
      earlierIn.put(operator.name(), KnownStage.of(operator).orElseThrow().in(operator));
    }
  }

  /** The longest, which is often a ring's. */
  private static int nameWidth(List<OperatorCounters> operators) {
    List<String> names = new ArrayList<>();
    for (OperatorCounters operator : operators) {
      names.add(operator.title());
      operator.eachRing((ring, _) -> names.add(INDENT + ring));
    }
    return Math.max(USUAL_NAME_WIDTH, names.stream().mapToInt(String::length).max().orElse(0));
  }

  /**
   * What they count now.
   *
   * @param earlier the same, for rates
   * @param seconds between the two
   */
  static List<String> of(
      List<OperatorCounters> earlier, List<OperatorCounters> now, double seconds) {
    StageLines table = new StageLines(earlier, now, seconds);
    table.add("packets", true);
    table.add("results", false);
    return table.lines;
  }

  private void add(String what, boolean ofPackets) {
    List<OperatorCounters> rows =
        now.stream()
            .filter(row -> KnownStage.of(row).orElseThrow().isOfPackets() == ofPackets)
            .toList();
    if (rows.isEmpty()) {
      return;
    }
    lines.add(
        String.format(Locale.ROOT, format, what, "in", "rate/s", "out", "left out")
            .stripTrailing());
    rows.forEach(this::addStage);
  }

  private void addStage(OperatorCounters operator) {
    KnownStage stage = KnownStage.of(operator).orElseThrow();
    long in = stage.in(operator);
    Long before = earlierIn.get(operator.name());
    addLine(
        operator.title(),
        number(in),
        before == null ? "" : number(Math.round(Math.max(0, in - before) / seconds)),
        stage.hasOut() ? number(stage.sentOn(operator)) : "",
        leftOut(stage, operator));
    if (stage == KnownStage.SOURCE) {
      operator.eachRing(
          (name, ring) ->
              addLine(INDENT + name, "", "", number(stage.sentOn(ring)), leftOut(stage, ring)));
    }
  }

  private void addLine(String name, String in, String rate, String out, String leftOut) {
    lines.add(
        String.format(Locale.ROOT, format, EscapedText.of(name), in, rate, out, leftOut)
            .stripTrailing());
  }

  /** Of stages that leave nothing out, nothing. */
  private static String leftOut(KnownStage stage, OperatorCounters operator) {
    List<KnownStage.LeftOut> some = stage.leftOut(operator);
    return some.isEmpty()
        ? stage.leavesOut() ? "0" : ""
        : some.stream()
            .map(each -> number(each.count()) + " " + each.reason())
            .collect(Collectors.joining(", "));
  }

  private static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }
}
