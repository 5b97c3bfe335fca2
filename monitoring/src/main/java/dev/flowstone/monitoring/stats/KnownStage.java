// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.stats;

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
public enum KnownStage {
  /** Runs as they are found in rings, and packets as they leave in blocks. */
  SOURCE(
      "packetsConsumed",
      List.of("numBytesIn"),
      List.of("packetsConsumed"),
      Map.of(
          "packetsLost", "lost in rings",
          "packetsLostBeforeTap", "lost before the tap",
          "packetsUntold", "dropped since a ring is full"),
      List.of()),
  RULES(
      "packetsOfRule",
      List.of("packets"),
      List.of("packetsOfRule"),
      Map.of("packetsDropped", "by rules that drop"),
      List.of()),
  CHOICE(
      "packetsLeftOut",
      List.of("packetsIn"),
      List.of("packetsKept", "packetsSampled"),
      Map.of("packetsLeftOut", "left out of the sample"),
      List.of()),
  FLOWS(
      "flowBytes",
      List.of("packets"),
      List.of(),
      Map.of(
          "packetsWithoutRoom", "no room for the flow",
          "packetsWithoutRoomOfRule", "no room for the flow under a rule"),
      List.of("recordsOut", "partsOut")),
  PANES(
      "packetsWatched",
      List.of("packets"),
      List.of(),
      Map.of("packetsUntimed", "without a time", "packetsLate", "late"),
      List.of("partsOut")),
  USER(
      "functionFailures",
      List.of("packets"),
      List.of(),
      Map.of("packetsFailed", "failed in a function"),
      List.of("resultsOut")),
  PACKING(
      "packetsPacked", List.of("packetsReceived"), List.of("packetsPacked"), Map.of(), List.of()),
  ALERTS(
      "alertsOpened",
      List.of("partsIn"),
      List.of("synWindowsOut", "alertsOpened", "alertsUpdated", "alertsClosed"),
      Map.of("partsWithoutRoom", "no room to watch"),
      List.of("synWindowsOut", "alertsOpened", "alertsUpdated", "alertsClosed")),
  RESULTS("resultsSent", List.of("resultsSent"), List.of(), Map.of(), List.of()),
  QUESTDB(
      "resultsReceived",
      List.of("resultsReceived"),
      List.of("resultsWritten"),
      Map.of("resultsDeadLettered", "refused"),
      List.of());

  /** Of this, {@link #SOURCE} counts bytes. */
  private static final int RECORD_BYTES = 64;

  private final String mark;
  private final List<String> in;
  private final List<String> out;
  private final Map<String, String> reasons;
  private final List<String> made;

  KnownStage(
      String mark,
      List<String> in,
      List<String> out,
      Map<String, String> reasons,
      List<String> made) {
    this.mark = mark;
    this.in = in;
    this.out = out;
    this.reasons = reasons;
    this.made = made;
  }

  public static Optional<KnownStage> of(OperatorCounters counters) {
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
                    || stage.reasons.containsKey(name)
                    || stage.made.contains(name));
  }

  /** What comes behind it are results, made of any number of packets. */
  public boolean isOfPackets() {
    return compareTo(PACKING) <= 0;
  }

  public boolean hasOut() {
    return !out.isEmpty();
  }

  boolean leavesOut() {
    return !reasons.isEmpty();
  }

  public long in(OperatorCounters counters) {
    if (this != SOURCE) {
      return counters.sum(in);
    }
    return hasIn(counters) ? counters.sum(in) / RECORD_BYTES : out(counters);
  }

  /** A source's report tells only of packets that are out: what came in is Flink's own counter. */
  boolean hasIn(OperatorCounters counters) {
    return in.stream().anyMatch(counters::has);
  }

  public long out(OperatorCounters counters) {
    return counters.sum(out);
  }

  /** Whether it makes something of packets. */
  public boolean makesResults() {
    return !made.isEmpty();
  }

  /** What it has made of packets so far: records, sums, alerts. */
  public long made(OperatorCounters counters) {
    return counters.sum(made);
  }

  /** What the next stage gets: a rule counts packets before it drops them. */
  public long sentOn(OperatorCounters counters) {
    return this == RULES
        ? out(counters) - leftOut(counters).stream().mapToLong(LeftOut::count).sum()
        : out(counters);
  }

  /** What was left out on purpose or for want of something, the reasons that occurred. */
  public List<LeftOut> leftOut(OperatorCounters counters) {
    return reasons.entrySet().stream()
        .map(reason -> new LeftOut(reason.getValue(), counters.sum(List.of(reason.getKey()))))
        .filter(each -> each.count() != 0)
        .sorted(comparingLong(LeftOut::count).reversed().thenComparing(LeftOut::reason))
        .toList();
  }

  public record LeftOut(String reason, long count) {}
}
