// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import dev.flowstone.monitoring.page.FlinkView.LeftOut;
import dev.flowstone.monitoring.page.FlinkView.Pair;
import dev.flowstone.monitoring.page.FlinkView.Ring;
import dev.flowstone.monitoring.page.FlinkView.Stage;
import dev.flowstone.monitoring.page.StageMoments.Moment;
import dev.flowstone.monitoring.page.StageMoments.Verdict;
import dev.flowstone.monitoring.stats.Account;
import dev.flowstone.monitoring.stats.KnownStage;
import dev.flowstone.monitoring.stats.OperatorCounters;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * A job's stages with what they count and how fast.
 *
 * @param seconds between the two moments; 0: nothing moves any more
 * @param hasEnded what is known of it may be of a moment before the last packets came
 */
record StageViews(StageMoments moments, double seconds, boolean hasEnded) {
  private static final String PACKETS_OF_RULE = "packetsOfRule";

  List<Stage> stages() {
    Set<KnownStage> unbalanced = EnumSet.noneOf(KnownStage.class);
    pairs().stream()
        .filter(pair -> pair.verdict() == Verdict.APART)
        .forEach(pair -> unbalanced.add(pair.at()));
    return moments.now().operators().stream()
        .map(operator -> stage(operator, !unbalanced.contains(kind(operator))))
        .toList();
  }

  private static KnownStage kind(OperatorCounters operator) {
    return KnownStage.of(operator).orElseThrow();
  }

  private Stage stage(OperatorCounters operator, boolean isBalanced) {
    KnownStage kind = kind(operator);
    return new Stage(
        operator.name(),
        kind,
        operator.title(),
        kind.isOfPackets(),
        count(operator, kind::in),
        kind.hasOut() ? count(operator, kind::sentOn) : null,
        kind.makesResults() ? count(operator, kind::made) : null,
        leftOut(kind, earlier(operator.name()), operator),
        kind == KnownStage.SOURCE ? rings(operator) : List.of(),
        isBalanced);
  }

  private Count count(OperatorCounters operator, ToLongFunction<OperatorCounters> counter) {
    OperatorCounters earlier = earlier(operator.name());
    return Count.since(
        earlier == null ? null : counter.applyAsLong(earlier),
        counter.applyAsLong(operator),
        seconds);
  }

  /** Null: it was not there. */
  private OperatorCounters earlier(String name) {
    return moments.before().map(Moment::operators).orElse(List.of()).stream()
        .filter(operator -> operator.name().equals(name))
        .findFirst()
        .orElse(null);
  }

  private List<LeftOut> leftOut(
      KnownStage kind, OperatorCounters earlier, OperatorCounters operator) {
    Map<String, Long> before = new LinkedHashMap<>();
    if (earlier != null) {
      kind.leftOut(earlier).forEach(each -> before.put(each.reason(), each.count()));
    }
    return kind.leftOut(operator).stream()
        .map(
            each ->
                new LeftOut(
                    each.reason(),
                    Count.since(
                        earlier == null ? null : before.getOrDefault(each.reason(), 0L),
                        each.count(),
                        seconds)))
        .toList();
  }

  private List<Ring> rings(OperatorCounters source) {
    Map<String, OperatorCounters> before = new LinkedHashMap<>();
    OperatorCounters earlier = earlier(source.name());
    if (earlier != null) {
      earlier.eachRing(before::put);
    }
    List<Ring> rings = new ArrayList<>();
    source.eachRing(
        (name, ring) -> {
          OperatorCounters then = before.get(name);
          rings.add(
              new Ring(
                  name,
                  Count.since(
                      then == null ? null : KnownStage.SOURCE.out(then),
                      KnownStage.SOURCE.out(ring),
                      seconds),
                  leftOut(KnownStage.SOURCE, then, ring)));
        });
    return rings;
  }

  /** Where a job has ended, what Flink saw last is no account. */
  List<Pair> pairs() {
    List<Account.Pair> pairs = new Account(moments.now().operators()).pairs();
    List<Verdict> verdicts = moments.verdicts(seconds == 0 && !hasEnded);
    return IntStream.range(0, pairs.size())
        .mapToObj(
            i -> new Pair(pairs.get(i).at(), pairs.get(i).toString(), verdict(verdicts.get(i))))
        .toList();
  }

  private Verdict verdict(Verdict ofMoments) {
    return hasEnded && ofMoments == Verdict.APART ? Verdict.ON_THE_WAY : ofMoments;
  }

  Map<String, Count> ofRules() {
    Map<String, Count> rules = new LinkedHashMap<>();
    for (OperatorCounters operator : moments.now().operators()) {
      if (kind(operator) == KnownStage.RULES) {
        OperatorCounters earlier = earlier(operator.name());
        Map<String, Long> before = earlier == null ? Map.of() : earlier.byRule(PACKETS_OF_RULE);
        operator
            .byRule(PACKETS_OF_RULE)
            .forEach(
                (rule, packets) ->
                    rules.put(rule, Count.since(before.get(rule), packets, seconds)));
      }
    }
    return rules;
  }
}
