// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flowstone.raw.SourceNotice;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What the tap counts itself, each where it happens, as its process tells on request. */
sealed interface TapCounters {
  TapCounters NONE = new Software(0, 0, Map.of(), Map.of(), 0, 0, false);

  /** Packets that it has, lost ones left out. */
  long seen();

  /** Packets handed on to the rings. */
  long offered();

  /** Told to consumers as such. */
  long lostBeforeTap();

  /** Frames that were several packets, most likely, but are counted as one. */
  long mergedFrames();

  /** What else is worth knowing of the packets or where they come from. */
  Map<SourceNotice, Long> notices();

  /** Whether nothing changes any more. */
  boolean ended();

  Stage stage();

  /** What must be equal at the end, up to the rings. */
  List<Balance.Pair> pairs(long offeredToRings);

  ObjectNode json();

  static TapCounters parse(JsonNode told) {
    return told.has("cards") ? Card.of(told) : Software.of(told);
  }

  /**
   * A tap that takes packets and describes them itself.
   *
   * @param sourcePackets packets that the source gave
   * @param lostBeforeTap packets that the kernel had no room for (live capture), or that a capture
   *     file says it lost
   * @param malformed what the source could not use, by reason
   * @param parsed packets that the parser described
   */
  record Software(
      long sourcePackets,
      long lostBeforeTap,
      Map<String, Long> malformed,
      Map<SourceNotice, Long> notices,
      long parsed,
      long offered,
      boolean ended)
      implements TapCounters {

    private static Software of(JsonNode told) {
      Map<SourceNotice, Long> notices = new EnumMap<>(SourceNotice.class);
      counts(told.required("notices"))
          .forEach((notice, count) -> notices.put(SourceNotice.valueOf(notice), count));
      return new Software(
          told.required("source_packets").asLong(),
          told.required("lost_before_tap").asLong(),
          counts(told.required("malformed")),
          notices,
          told.required("parsed").asLong(),
          told.required("offered").asLong(),
          told.required("ended").asBoolean());
    }

    @Override
    public long seen() {
      return sourcePackets;
    }

    @Override
    public long mergedFrames() {
      return notices.getOrDefault(SourceNotice.ABOVE_MTU, 0L);
    }

    @Override
    public Stage stage() {
      List<Stage.Drop> drops = new ArrayList<>();
      drops.add(new Stage.Drop("before the tap", lostBeforeTap));
      malformed.forEach((reason, count) -> drops.add(new Stage.Drop(words(reason), count)));
      return Stage.of("tap", sourcePackets, parsed).dropped(drops);
    }

    @Override
    public List<Balance.Pair> pairs(long offeredToRings) {
      return List.of(
          new Balance.Pair("packets from the tap's source", sourcePackets, "parsed", parsed),
          new Balance.Pair("parsed", parsed, "offered by the tap", offered),
          new Balance.Pair("offered by the tap", offered, "offered to rings", offeredToRings));
    }

    @Override
    public ObjectNode json() {
      ObjectNode json =
          JsonNodeFactory.instance
              .objectNode()
              .put("source_packets", sourcePackets)
              .put("lost_before_tap", lostBeforeTap)
              .put("parsed", parsed)
              .put("offered", offered);
      ObjectNode reasons = json.putObject("malformed");
      malformed.forEach(reasons::put);
      ObjectNode known = json.putObject("notices");
      notices.forEach((notice, count) -> known.put(notice.name(), count));
      return json;
    }
  }

  /**
   * A tap that takes the records of one card.
   *
   * @param received packets that came to the card's ports
   * @param filtered packets that rules on the card dropped
   * @param losses packets that came and were lost in the card or on the way from it, by cause
   * @param surplus records that stood twice
   * @param taken packets that were fetched from the card and handed on to the rings
   */
  record Card(
      long received,
      long filtered,
      Map<String, Long> losses,
      long surplus,
      long taken,
      boolean ended)
      implements TapCounters {

    private static Card of(JsonNode told) {
      JsonNode card = told.required("cards").required(0);
      return new Card(
          sum(card, "ports", "received"),
          sum(card, "ports", "filtered"),
          counts(card.required("lost")),
          sum(card, "pumps", "surplus"),
          sum(card, "pumps", "packets"),
          told.required("ended").asBoolean());
    }

    private static long sum(JsonNode card, String parts, String counter) {
      long sum = 0;
      for (JsonNode part : card.required(parts)) {
        sum += part.required(counter).asLong();
      }
      return sum;
    }

    @Override
    public long seen() {
      return received - lostBeforeTap();
    }

    @Override
    public long offered() {
      return taken;
    }

    @Override
    public long lostBeforeTap() {
      return losses.values().stream().mapToLong(Long::longValue).sum();
    }

    @Override
    public long mergedFrames() {
      return 0;
    }

    @Override
    public Map<SourceNotice, Long> notices() {
      return Map.of();
    }

    /** Its registers are read ten times a second: until the end, what was taken is newer. */
    @Override
    public Stage stage() {
      List<Stage.Drop> drops = new ArrayList<>();
      drops.add(new Stage.Drop("by its rules", filtered));
      losses.forEach((cause, count) -> drops.add(new Stage.Drop(words(cause), count)));
      return Stage.of("card", Math.max(received, accounted()), taken).dropped(drops);
    }

    private long accounted() {
      return filtered + taken - surplus + lostBeforeTap();
    }

    @Override
    public List<Balance.Pair> pairs(long offeredToRings) {
      return List.of(
          new Balance.Pair(
              "packets that came to the card",
              received,
              "dropped by its rules + taken + lost",
              accounted()),
          new Balance.Pair("taken from the card", taken, "offered to rings", offeredToRings));
    }

    @Override
    public ObjectNode json() {
      ObjectNode json =
          JsonNodeFactory.instance
              .objectNode()
              .put("received", received)
              .put("filtered", filtered)
              .put("lost_before_tap", lostBeforeTap())
              .put("surplus", surplus)
              .put("offered", taken);
      ObjectNode causes = json.putObject("lost");
      losses.forEach(causes::put);
      return json;
    }
  }

  private static Map<String, Long> counts(JsonNode told) {
    Map<String, Long> counts = new TreeMap<>();
    told.properties().forEach(each -> counts.put(each.getKey(), each.getValue().asLong()));
    return counts;
  }

  /** CUT_SHORT becomes "cut short". */
  private static String words(String reason) {
    return reason.toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
