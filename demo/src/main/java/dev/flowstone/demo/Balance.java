// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.operators.ruled.FunctionKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Whether every packet is accounted for: each stage's counters held against those of the next. Both
 * counters of a pair were counted in a place of their own, so one packet that goes missing between
 * two places shows as the pair of these places.
 */
record Balance(List<Pair> pairs) {

  /** Two counters that must be equal. */
  record Pair(String name, long count, String otherName, long otherCount) {
    boolean isEqual() {
      return count == otherCount;
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

  static Balance of(DemoCounters counters) {
    List<Pair> pairs = new ArrayList<>(ofTapAndRings(counters));
    // A job that was started again reads from its checkpoint once more, and counts from zero.
    if (counters.restarts() == 0) {
      pairs.addAll(ofFlink(counters));
      pairs.addAll(ofFunctions(counters));
      pairs.addAll(ofResults(counters));
      pairs.add(
          new Pair(
              "offered to rings",
              counters.offered(),
              "consumed + lost at the consumer + not passed by rules",
              counters.consumer().packets()
                  + counters.consumer().lost()
                  + counters.functions().notPassed()));
    }
    pairs.add(
        new Pair(
            "lost before the tap",
            counters.tap().lostBeforeTap(),
            "told as such at the consumer",
            counters.consumer().lostBeforeTap()));
    return new Balance(pairs);
  }

  private static List<Pair> ofTapAndRings(DemoCounters counters) {
    List<Pair> pairs = new ArrayList<>(counters.tap().pairs(counters.offered()));
    for (int ring = 0; ring < counters.rings().size(); ring++) {
      var of = counters.rings().get(ring);
      pairs.add(
          new Pair(
              "offered to ring " + ring,
              of.offeredPackets(),
              "written + dropped there",
              of.writtenPackets() + of.droppedPackets()));
    }
    return pairs;
  }

  private static List<Pair> ofFlink(DemoCounters counters) {
    DemoCounters.Source source = counters.source();
    DemoCounters.Batches batches = counters.batches();
    DemoCounters.Kafka kafka = counters.kafka();
    DemoCounters.Consumer consumer = counters.consumer();
    return List.of(
        new Pair("written to rings", counters.written(), "read by the source", source.packetsIn()),
        new Pair("dropped by rings", counters.dropped(), "lost at the source", source.lost()),
        new Pair(
            "read by the source", source.packetsIn(), "emitted by the source", source.packetsOut()),
        new Pair(
            "emitted by the source",
            source.packetsOut(),
            "given a rule",
            counters.functions().packetsIn()),
        new Pair(
            "passed or sampled",
            counters.functions().of(FunctionKind.PASS).out().orElseThrow(),
            "in blocks to be packed",
            batches.packetsIn()),
        new Pair(
            "in blocks to be packed", batches.packetsIn(), "in messages", batches.packetsOut()),
        new Pair(
            "messages packed", batches.messages(), "messages given to Kafka", kafka.messagesIn()),
        new Pair(
            "messages given to Kafka",
            kafka.messagesIn(),
            "messages read back",
            kafka.messagesOut()),
        new Pair("in messages", batches.packetsOut(), "read back from Kafka", consumer.packets()),
        new Pair("lost at the source", source.lost(), "lost at the consumer", consumer.lost()));
  }

  private static List<Pair> ofFunctions(DemoCounters counters) {
    FunctionCounters functions = counters.functions();
    List<Pair> pairs = new ArrayList<>();
    long ofRules = functions.packetsOfRule().values().stream().mapToLong(Long::longValue).sum();
    pairs.add(new Pair("given a rule", functions.packetsIn(), "counted by rule", ofRules));
    long sent = functions.functions().stream().mapToLong(FunctionCounters.Function::sent).sum();
    pairs.add(
        new Pair(
            "given a rule",
            functions.packetsIn(),
            "sent to functions + dropped by rule",
            sent + functions.dropped()));
    for (FunctionCounters.Function function : functions.functions()) {
      pairs.add(
          new Pair("sent to " + function.name(), function.sent(), "received there", function.in()));
      function
          .out()
          .ifPresent(
              out ->
                  pairs.add(
                      new Pair(
                          "received by " + function.name(),
                          function.in(),
                          "out + " + function.whyLeftOut(),
                          out + function.leftOut())));
    }
    return pairs;
  }

  private static List<Pair> ofResults(DemoCounters counters) {
    ResultCounters results = counters.results();
    List<Pair> pairs = new ArrayList<>();
    pairs.add(
        new Pair(
            "results given to Kafka", results.sent(), "results read back", results.messagesBack()));
    pairs.add(
        new Pair(
            "in flow records",
            counters.functions().of(FunctionKind.AGGREGATE).out().orElseThrow(),
            "in flow records read back",
            results.flowRecordPackets()));
    if (results.toQuestDb().isPresent()) {
      long toQuestDb = results.toQuestDb().getAsLong();
      pairs.add(
          new Pair("results given to Kafka", results.sent(), "results for QuestDB", toQuestDb));
      pairs.add(new Pair("results for QuestDB", toQuestDb, "taken by it", results.inQuestDb()));
    }
    return pairs;
  }

  boolean isRight() {
    return differences().isEmpty();
  }

  /** The pairs that are not equal, in the order of the packets' way. */
  List<Pair> differences() {
    return pairs.stream().filter(pair -> !pair.isEqual()).toList();
  }
}
