// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.stats;

import static java.util.Comparator.comparingLong;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The stages that packets pass, in their order: what tells each by the counters it has, and what
 * these say. A counter that several rules or rings have is summed up over them.
 */
@SuppressWarnings("ImmutableEnumChecker") // Lists that nobody changes.
enum KnownStage {
  /** Runs as they are found in rings, and packets as they leave in blocks. */
  SOURCE(
      "packetsConsumed",
      List.of("numBytesIn"),
      List.of("packetsConsumed"),
      Map.of(
          "packetsLost", "lost in rings",
          "packetsLostBeforeTap", "lost before the tap",
          "packetsUntold", "dropped since a ring is full")),
  RULES(
      "packetsOfRule",
      List.of("packets"),
      List.of("packetsOfRule"),
      Map.of("packetsDropped", "by rules that drop")),
  CHOICE(
      "packetsLeftOut",
      List.of("packetsIn"),
      List.of("packetsKept", "packetsSampled"),
      Map.of("packetsLeftOut", "left out of the sample")),
  FLOWS(
      "flowBytes",
      List.of("packets"),
      List.of(),
      Map.of(
          "packetsWithoutRoom", "no room for the flow",
          "packetsWithoutRoomOfRule", "no room for the flow under a rule")),
  PANES(
      "packetsWatched",
      List.of("packets"),
      List.of(),
      Map.of("packetsUntimed", "without a time", "packetsLate", "late")),
  USER(
      "functionFailures",
      List.of("packets"),
      List.of(),
      Map.of("packetsFailed", "failed in a function")),
  PACKING("packetsPacked", List.of("packetsReceived"), List.of("packetsPacked"), Map.of()),
  ALERTS(
      "alertsOpened",
      List.of("partsIn"),
      List.of("synWindowsOut", "alertsOpened", "alertsUpdated", "alertsClosed"),
      Map.of("partsWithoutRoom", "no room to watch")),
  RESULTS("resultsSent", List.of("resultsSent"), List.of(), Map.of()),
  QUESTDB(
      "resultsReceived",
      List.of("resultsReceived"),
      List.of("resultsWritten"),
      Map.of("resultsDeadLettered", "refused"));

  /** Of this, {@link #SOURCE} counts bytes. */
  private static final int RECORD_BYTES = 64;

  private final String mark;
  private final List<String> in;
  private final List<String> out;
  private final Map<String, String> reasons;

  KnownStage(String mark, List<String> in, List<String> out, Map<String, String> reasons) {
    this.mark = mark;
    this.in = in;
    this.out = out;
    this.reasons = reasons;
  }

  static Optional<KnownStage> of(OperatorCounters counters) {
    return Stream.of(values()).filter(stage -> counters.has(stage.mark)).findFirst();
  }

  /** Whether any stage has a counter of that name. */
  static boolean isCounter(String name) {
    return Stream.of(values())
        .anyMatch(
            stage ->
                stage.mark.equals(name)
                    || stage.in.contains(name)
                    || stage.out.contains(name)
                    || stage.reasons.containsKey(name));
  }

  /** What comes behind it are results, made of any number of packets. */
  boolean isOfPackets() {
    return compareTo(PACKING) <= 0;
  }

  boolean hasOut() {
    return !out.isEmpty();
  }

  boolean leavesOut() {
    return !reasons.isEmpty();
  }

  long in(OperatorCounters counters) {
    long sum = counters.sum(in);
    return this == SOURCE ? sum / RECORD_BYTES : sum;
  }

  long out(OperatorCounters counters) {
    return counters.sum(out);
  }

  /** What the next stage gets: a rule counts packets before it drops them. */
  long sentOn(OperatorCounters counters) {
    return this == RULES
        ? out(counters) - leftOut(counters).stream().mapToLong(LeftOut::count).sum()
        : out(counters);
  }

  /** What was left out on purpose or for want of something, the reasons that occurred. */
  List<LeftOut> leftOut(OperatorCounters counters) {
    return reasons.entrySet().stream()
        .map(reason -> new LeftOut(reason.getValue(), counters.sum(List.of(reason.getKey()))))
        .filter(each -> each.count() != 0)
        .sorted(comparingLong(LeftOut::count).reversed().thenComparing(LeftOut::reason))
        .toList();
  }

  record LeftOut(String reason, long count) {}
}
