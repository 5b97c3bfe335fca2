// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.operators.ruled.FunctionKind;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What the rules did with the packets, and what each function counted of its own.
 *
 * @param packetsIn packets that were given a rule
 * @param dropped packets of rules that drop
 * @param packetsOfRule by the name of the rule, of former rules as well
 * @param functions one for each kind that gets packets
 */
record FunctionCounters(
    long packetsIn,
    long dropped,
    Map<String, Long> packetsOfRule,
    List<Function> functions,
    RulesState rules) {
  /** Names that the job gives to its operators. */
  private static final String RULES_OPERATOR = "Rules";

  /**
   * Which rules count.
   *
   * @param version of those in force; grows with each change
   * @param refused changes that were none that the job can do
   */
  record RulesState(long version, long refused) {}

  /**
   * One function, at both ends of the way from the rules to it.
   *
   * @param sent packets that the rules sent to it
   * @param in packets that it received
   * @param out packets that went on, or that its results told of; empty: it counts no such
   * @param leftOut packets that it received and that are not among these
   * @param whyLeftOut in two words
   */
  record Function(
      FunctionKind kind,
      String name,
      long sent,
      long in,
      OptionalLong out,
      long leftOut,
      String whyLeftOut) {

    /** As rules files and reports call it. */
    String key() {
      return kind.name().toLowerCase(Locale.ROOT);
    }

    Stage stage() {
      List<Stage.Drop> drops = List.of(new Stage.Drop(whyLeftOut, leftOut));
      Stage stage = out.isPresent() ? Stage.of(name, in, out.getAsLong()) : Stage.end(name, in);
      return stage.dropped(drops);
    }
  }

  /** Against the packets' way. */
  static FunctionCounters read() {
    List<Function> functions =
        List.of(chosen(), flowRecords(), histograms(), detectors(), ofUsers());
    Map<String, Long> ofRule = FlinkCounters.byGroup(RULES_OPERATOR, "packetsOfRule", "rule");
    return new FunctionCounters(
        FlinkCounters.ofOperator(RULES_OPERATOR, "packets"),
        FlinkCounters.ofOperator(RULES_OPERATOR, "packetsDropped"),
        ofRule,
        functions,
        new RulesState(FlinkCounters.greatest("rulesVersion"), FlinkCounters.sum("rulesRefused")));
  }

  private static Function chosen() {
    String operator = "Packets";
    long leftOut = FlinkCounters.ofOperator(operator, "packetsLeftOut");
    long out =
        FlinkCounters.ofOperator(operator, "packetsKept")
            + FlinkCounters.ofOperator(operator, "packetsSampled");
    return function(
        FunctionKind.PASS,
        "pass, sample",
        FlinkCounters.ofOperator(operator, "packetsIn"),
        OptionalLong.of(out),
        leftOut,
        "not sampled");
  }

  private static Function flowRecords() {
    String operator = "Flow records";
    long withoutRoom = FlinkCounters.ofOperator(operator, "packetsWithoutRoom");
    long out = FlinkCounters.ofOperator(operator, "packetsOut");
    return function(
        FunctionKind.AGGREGATE,
        "flow records",
        FlinkCounters.ofOperator(operator, "packets"),
        OptionalLong.of(out),
        withoutRoom,
        "no room");
  }

  private static Function histograms() {
    String operator = "Histograms";
    long withoutRoom =
        FlinkCounters.ofOperator(operator, "packetsWithoutRoom")
            + FlinkCounters.ofOperator(operator, "packetsWithoutRoomOfRule");
    return function(
        FunctionKind.HISTOGRAM,
        "histograms",
        FlinkCounters.ofOperator(operator, "packets"),
        OptionalLong.empty(),
        withoutRoom,
        "no room");
  }

  private static Function detectors() {
    String operator = "Detectors";
    long late =
        FlinkCounters.ofOperator(operator, "packetsLate")
            + FlinkCounters.ofOperator(operator, "packetsUntimed");
    return function(
        FunctionKind.ANOMALY,
        "detectors",
        FlinkCounters.ofOperator(operator, "packets"),
        OptionalLong.empty(),
        late,
        "late or untimed");
  }

  private static Function ofUsers() {
    String operator = "Own code";
    return function(
        FunctionKind.USER,
        "user functions",
        FlinkCounters.ofOperator(operator, "packets"),
        OptionalLong.empty(),
        FlinkCounters.ofOperator(operator, "packetsFailed"),
        "failed");
  }

  private static Function function(
      FunctionKind kind, String name, long in, OptionalLong out, long leftOut, String whyLeftOut) {
    long sent =
        FlinkCounters.byGroup(RULES_OPERATOR, "packetsToFunction", "function")
            .getOrDefault(kind.name().toLowerCase(Locale.ROOT), 0L);
    return new Function(kind, name, sent, in, out, leftOut, whyLeftOut);
  }

  Function of(FunctionKind kind) {
    return functions.stream().filter(each -> each.kind == kind).findFirst().orElseThrow();
  }

  /** All that had a rule and are not packets any more. */
  long notPassed() {
    long elsewhere =
        functions.stream()
            .filter(function -> function.kind != FunctionKind.PASS)
            .mapToLong(Function::in)
            .sum();
    return dropped + of(FunctionKind.PASS).leftOut + elsewhere;
  }
}
