// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.browser;

import dev.flowstone.testbed.browser.ShownPage.Edge;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * A second of a job that has every stage there is, and what a page of it has to show. No two counts
 * are the same that could be taken for each other.
 */
public final class EveryStage {
  public static final long PACKETS = 10_000;

  /** Of packets, lost for whatever reason, each second. */
  public static final long LOST = 255;

  private static final int RECORD_BYTES = 64;

  /** As somebody's own job may name it. */
  private static final String OF_USERS = "The_user's_own";

  /** Whether every packet is accounted for is known of these. */
  public static final Map<String, Long> COUNTERS =
      Map.ofEntries(
          Map.entry("Source__rings.numBytesIn", RECORD_BYTES * PACKETS),
          Map.entry("Source__rings.taprings.eth0.ring.0.packetsConsumed", 6_000L),
          Map.entry("Source__rings.taprings.eth0.ring.1.packetsConsumed", 4_000L),
          Map.entry("Rules.packets", PACKETS),
          Map.entry("Rules.packetsDropped", 1_000L),
          Map.entry("Rules.rule.pings.packetsOfRule", 1_000L),
          Map.entry("Rules.rule.connections.packetsOfRule", 1_200L),
          Map.entry("Rules.rule.bursts.packetsOfRule", 1_300L),
          Map.entry("Rules.rule.web_tls.packetsOfRule", 2_000L),
          Map.entry("Rules.rule.datagrams.packetsOfRule", 1_500L),
          Map.entry("Rules.rule.mail.packetsOfRule", 2_900L),
          Map.entry("Rules.rule.former.packetsOfRule", 100L),
          Map.entry("Packets.rule.mail.packetsIn", 3_000L),
          Map.entry("Packets.rule.mail.packetsKept", 500L),
          Map.entry("Packets.rule.mail.packetsSampled", 400L),
          Map.entry("Packets.rule.mail.packetsLeftOut", 2_100L),
          Map.entry("Flow_records.packets", 2_000L),
          Map.entry("Flow_records.flowBytes", 1L),
          Map.entry("Flow_records.recordsOut", 90L),
          Map.entry("Histograms.packets", 1_500L),
          Map.entry("Histograms.flowBytes", 1L),
          Map.entry("Histograms.partsOut", 70L),
          Map.entry("Detectors.packets", 1_200L),
          Map.entry("Detectors.packetsWatched", 1L),
          Map.entry("Detectors.partsOut", 61L),
          Map.entry("Alerts.partsIn", 61L),
          Map.entry("Alerts.synWindowsOut", 31L),
          Map.entry("Alerts.alertsOpened", 3L),
          Map.entry("Alerts.alertsUpdated", 2L),
          Map.entry("Alerts.alertsClosed", 1L),
          Map.entry(OF_USERS + ".packets", 1_300L),
          Map.entry(OF_USERS + ".functionFailures", 4L),
          Map.entry(OF_USERS + ".resultsOut", 53L),
          Map.entry("Kafka__packets__Writer.packetsReceived", 900L),
          Map.entry("Kafka__packets__Writer.packetsPacked", 900L),
          Map.entry("Kafka__results__Writer.resultsSent", 250L),
          Map.entry("QuestDB__results.resultsReceived", 240L),
          Map.entry("QuestDB__results.resultsWritten", 193L));

  /** Every reason for which a stage leaves packets or results out, but those that rules ask for. */
  public static final Map<String, Long> LOSSES =
      Map.ofEntries(
          Map.entry("Source__rings.taprings.eth0.ring.0.packetsLost", 11L),
          Map.entry("Source__rings.taprings.eth0.ring.0.packetsLostBeforeTap", 7L),
          Map.entry("Source__rings.taprings.eth0.ring.1.packetsUntold", 5L),
          Map.entry("Flow_records.packetsWithoutRoom", 13L),
          Map.entry("Histograms.packetsWithoutRoom", 17L),
          Map.entry("Histograms.packetsWithoutRoomOfRule", 19L),
          Map.entry("Detectors.packetsUntimed", 23L),
          Map.entry("Detectors.packetsLate", 29L),
          Map.entry("Alerts.partsWithoutRoom", 41L),
          Map.entry(OF_USERS + ".packetsFailed", 43L),
          Map.entry("QuestDB__results.resultsDeadLettered", 47L));

  private static final List<Told> EDGES =
      List.of(
          new Told("rings-source", PACKETS, "packets")
              .without(11, "lost in rings")
              .without(7, "lost before the tap")
              .without(5, "dropped since a ring is full"),
          new Told("source-rules", PACKETS, "packets"),
          new Told("rules-pass", 3_000, "packets").without(2_100, "left out of the sample"),
          new Told("rules-aggregate", 2_000, "packets").without(13, "no room for the flow"),
          new Told("rules-histogram", 1_500, "packets")
              .without(19, "no room for the flow under a rule")
              .without(17, "no room for the flow"),
          new Told("rules-anomaly", 1_200, "packets")
              .without(29, "late")
              .without(23, "without a time")
              .without(41, "no room to watch"),
          new Told("rules-user", 1_300, "packets").without(43, "failed in a function"),
          new Told("rules-drop", 1_000, "packets of rules that drop"),
          new Told("packets-kafka", 900, "packets"),
          new Told("aggregate-results", 90, "records"),
          new Told("histogram-results", 70, "partial sums"),
          new Told("anomaly-results", 37, "alerts, windows"),
          new Told("user-results", 53, "results"),
          new Told("results-kafka-results", 250, "results, reports of stages among them"),
          new Told("results-questdb", 240, "results, reports of stages among them")
              .without(47, "refused"));

  private EveryStage() {}

  /**
   * An edge in one second.
   *
   * @param what its count is of
   */
  private record Told(String id, long count, String what, List<Drop> drops) {
    Told(String id, long count, String what) {
      this(id, count, what, List.of());
    }

    Told without(long dropped, String reason) {
      List<Drop> all = new ArrayList<>(drops);
      all.add(new Drop(reason, dropped));
      return new Told(id, count, what, all);
    }

    Edge after(long seconds, boolean isMoving) {
      Map<String, Long> dropped = new TreeMap<>();
      drops.forEach(each -> dropped.put(each.reason, seconds * each.packets));
      return new Edge(seconds * count, isMoving ? count : 0, dropped);
    }

    /** What whoever points at it is told, at rest. */
    String wordsAfter(long seconds) {
      StringJoiner words = new StringJoiner("; ");
      words.add(number(seconds * count) + " " + what);
      for (Drop each : drops) {
        words.add("%s %s, 0/s".formatted(number(seconds * each.packets), each.reason));
      }
      return words.toString();
    }
  }

  private record Drop(String reason, long packets) {}

  public static String number(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  public static Map<String, Edge> edgesAfter(long seconds, boolean isMoving) {
    Map<String, Edge> edges = new TreeMap<>();
    EDGES.forEach(edge -> edges.put(edge.id, edge.after(seconds, isMoving)));
    return edges;
  }

  public static Map<String, String> wordsAfter(long seconds) {
    Map<String, String> words = new TreeMap<>();
    EDGES.forEach(edge -> words.put(edge.id, edge.wordsAfter(seconds)));
    return words;
  }

  /** How many a second, by edge and reason. */
  public static Map<String, Long> dropRates() {
    Map<String, Long> rates = new TreeMap<>();
    for (Told edge : EDGES) {
      edge.drops.forEach(each -> rates.put(edge.id + ": " + each.reason, each.packets));
    }
    return rates;
  }
}
