// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

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
    }
    pairs.add(
        new Pair(
            "offered to rings",
            counters.offered(),
            "consumed + lost at the consumer",
            counters.consumer().packets() + counters.consumer().lost()));
    pairs.add(
        new Pair(
            "lost before the tap",
            counters.tap().lostBeforeTap(),
            "told as such at the consumer",
            counters.consumer().lostBeforeTap()));
    return new Balance(pairs);
  }

  private static List<Pair> ofTapAndRings(DemoCounters counters) {
    TapCounters tap = counters.tap();
    List<Pair> pairs = new ArrayList<>();
    pairs.add(
        new Pair("packets from the tap's source", tap.sourcePackets(), "parsed", tap.parsed()));
    pairs.add(new Pair("parsed", tap.parsed(), "offered by the tap", tap.offered()));
    pairs.add(
        new Pair("offered by the tap", tap.offered(), "offered to rings", counters.offered()));
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

  boolean isRight() {
    return differences().isEmpty();
  }

  /** The pairs that are not equal, in the order of the packets' way. */
  List<Pair> differences() {
    return pairs.stream().filter(pair -> !pair.isEqual()).toList();
  }
}
