// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * When an answer is as good as the wanted one: flows that tie with the last one listed may be
 * others, times may differ by a slack.
 */
final class OracleRules {
  private static final int LISTED = 5;
  private static final int CHECK_SEQUENCE_BYTES = 4;
  private static final List<String> EXACT =
      List.of(
          "packets",
          "bytes_wire",
          "distinct_5tuples_directional",
          "distinct_5tuples_bidirectional",
          "syn_without_ack",
          "syn_with_ack",
          "syn_windows",
          "classes");
  private static final List<String> RANKED =
      List.of("interarrival_top5_directional", "interarrival_top5_bidirectional");
  private static final List<String> FLOW =
      List.of(
          "src",
          "dst",
          "proto",
          "sport",
          "dport",
          "packets",
          "bytes",
          "interarrival_count",
          "negative_gaps");
  private static final List<String> TIMES =
      List.of("first_ns", "last_ns", "interarrival_min_ns", "interarrival_max_ns");
  private static final List<String> SORTED = List.of("interarrival_min_ns", "interarrival_max_ns");

  private OracleRules() {}

  /**
   * Takes the check sequence of each frame from the lengths: 4 bytes that the oracles of ERF files
   * count.
   */
  static void excludeCheckSequences(ObjectNode answers) {
    subtractSequences(answers, "bytes_wire");
    RANKED.forEach(
        key ->
            elements(answers.get(key))
                .forEach(flow -> subtractSequences((ObjectNode) flow, "bytes")));
  }

  private static void subtractSequences(ObjectNode sums, String key) {
    long sequencesBytes = sums.get("packets").asLong() * CHECK_SEQUENCE_BYTES;
    sums.put(key, sums.get(key).asLong() - sequencesBytes);
  }

  /** Keys whose answers differ. */
  static List<String> differences(JsonNode wanted, JsonNode got, long slackNs) {
    Stream<String> exact =
        EXACT.stream().filter(key -> wanted.has(key) && !same(wanted.get(key), got.path(key)));
    Stream<String> ranked =
        RANKED.stream()
            .filter(
                key -> wanted.has(key) && !isSameRanking(wanted.get(key), got.path(key), slackNs));
    return Stream.concat(exact, ranked).toList();
  }

  /** Numbers are the same whatever their width. */
  private static boolean same(JsonNode wanted, JsonNode got) {
    return wanted.toString().equals(got.toString())
        || wanted.equals(
            (one, other) ->
                one.isNumber() && other.isNumber()
                    ? Long.compare(one.asLong(), other.asLong())
                    : one.equals(other) ? 0 : 1,
            got);
  }

  private static boolean isSameRanking(JsonNode wanted, JsonNode got, long slackNs) {
    if (!sizes(wanted).equals(sizes(got))) {
      return false;
    }
    List<String> sizes = sizes(wanted);
    String tied = sizes.size() == LISTED ? sizes.getLast() : "";
    return IntStream.range(0, sizes.size())
        .filter(i -> !sizes.get(i).equals(tied))
        .allMatch(i -> elements(got).anyMatch(flow -> isSameFlow(wanted.get(i), flow, slackNs)));
  }

  private static boolean isSameFlow(JsonNode wanted, JsonNode got, long slackNs) {
    return FLOW.stream().allMatch(key -> same(wanted.path(key), got.path(key)))
        && TIMES.stream().allMatch(key -> isClose(wanted.path(key), got.path(key), slackNs))
        && SORTED.stream()
            .allMatch(
                key ->
                    isClose(
                        wanted.path("sorted_by_time").path(key),
                        got.path("sorted_by_time").path(key),
                        slackNs));
  }

  private static boolean isClose(JsonNode wanted, JsonNode got, long slackNs) {
    return (wanted.isNumber() && got.isNumber())
        ? Math.abs(wanted.asLong() - got.asLong()) <= slackNs
        : wanted.isNumber() == got.isNumber();
  }

  private static List<String> sizes(JsonNode flows) {
    List<String> sizes = new ArrayList<>();
    elements(flows).forEach(flow -> sizes.add(flow.get("packets") + " " + flow.get("bytes")));
    return sizes;
  }

  private static Stream<JsonNode> elements(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }
}
