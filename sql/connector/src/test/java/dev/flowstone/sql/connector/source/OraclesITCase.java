// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.source;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.tap.replay.ReplayOptions;
import dev.flowstone.tap.replay.ReplaySource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Captures as tables, where the collection is present: packets, bytes, flows, SYNs and floods by
 * SQL are what the oracles know; of each folder one capture, or all of them.
 */
@Timeout(900)
class OraclesITCase {
  private static final String ORACLE = ".oracle.json";

  private final List<String> wrong = new ArrayList<>();
  private int windowsCompared;

  @Test
  void shouldKnowWhatTheOracleOfEachKindKnows() throws Exception {
    Map<Path, Path> ofFolders = new TreeMap<>();
    oracles().forEach(oracle -> ofFolders.putIfAbsent(oracle.getParent(), oracle));
    compareAll(List.copyOf(ofFolders.values()));
  }

  @Test
  @Tag("slow")
  void shouldKnowWhatAllOraclesKnow() throws Exception {
    compareAll(oracles());
  }

  private static List<Path> oracles() throws Exception {
    String named = System.getProperty("flowstone.captures");
    Path captures = Path.of(named == null ? "../../../shared/captures" : named);
    Assumptions.assumeTrue(
        Files.isDirectory(captures), "SKIPPED: no captures in " + captures.toAbsolutePath());
    try (Stream<Path> files = Files.walk(captures)) {
      return files
          .filter(file -> file.toString().endsWith(ORACLE) && Files.exists(capture(file)))
          .sorted()
          .toList();
    }
  }

  private static Path capture(Path oracle) {
    String file = oracle.toString();
    return Path.of(file.substring(0, file.length() - ORACLE.length()));
  }

  private void compareAll(List<Path> oracles) throws Exception {
    int compared = 0;
    for (Path oracle : oracles) {
      JsonNode known = new ObjectMapper().readTree(oracle.toFile());
      if (known.has("answers")) {
        compare(capture(oracle), known);
        compared++;
      }
    }
    System.out.println("OraclesITCase: " + compared + " captures, " + windowsCompared + " windows");
    assertThat(wrong).isEmpty();
    assertThat(windowsCompared).isPositive();
  }

  private void compare(Path capture, JsonNode known) throws Exception {
    JsonNode answers = known.get("answers");
    long packets = answers.get("packets").asLong();
    try (ReplaySource source = new ReplaySource(ReplayOptions.once(capture));
        RingTables tables = new RingTables(source, packets, RingTables.summedUp())) {
      tables.environment().getConfig().setLocalTimeZone(ZoneOffset.UTC);
      Row totals =
          tables
              .ask(
                  """
                  SELECT COUNT(*), COUNT(*) FILTER (WHERE syn AND NOT ack AND NOT later_fragment),
                    COUNT(*) FILTER (WHERE syn AND ack AND NOT later_fragment),
                    SUM(CAST(frame_length AS BIGINT)),
                    COUNT(DISTINCT CONCAT_WS(' ', source_address, destination_address,
                      CAST(protocol AS STRING), CAST(source_port AS STRING),
                      CAST(destination_port AS STRING))) FILTER (WHERE ip IS NOT NULL)
                  FROM packets
                  """)
              .getLast();
      require(capture, "packets", answers.get("packets"), totals.getField(0));
      require(capture, "syn_without_ack", answers.get("syn_without_ack"), totals.getField(1));
      require(capture, "syn_with_ack", answers.get("syn_with_ack"), totals.getField(2));
      // The oracles of ERF files count the check sequence of each frame.
      long sequencesBytes = capture.toString().endsWith(".erf") ? packets * 4 : 0;
      long wireBytes = answers.get("bytes_wire").asLong() - sequencesBytes;
      require(capture, "bytes_wire", wireBytes, totals.getField(3));
      require(
          capture,
          "distinct_5tuples_directional",
          answers.get("distinct_5tuples_directional"),
          totals.getField(4));
      List<String> windows = windows(answers);
      require(capture, "over_10_by_dst", windows, floods(tables));
      windowsCompared += windows.size();
    }
  }

  private void require(Path capture, String what, Object expected, Object found) {
    if (!expected.toString().equals(found.toString())) {
      wrong.add("%s: %s: %s, not %s".formatted(capture, what, found, expected));
    }
  }

  private static List<String> windows(JsonNode answers) {
    List<String> windows = new ArrayList<>();
    for (JsonNode window : answers.get("syn_windows").get("over_10_by_dst")) {
      windows.add(
          "%d %s %d"
              .formatted(
                  window.get("window_start_s").asLong(),
                  window.get("dst").asText(),
                  window.get("syn").asLong()));
    }
    return windows.stream().sorted().toList();
  }

  private static List<String> floods(RingTables tables) throws Exception {
    return tables
        .ask(
            """
            SELECT window_start, destination_address, COUNT(*)
            FROM TABLE(TUMBLE(TABLE packets, DESCRIPTOR(rowtime), INTERVAL '5' SECOND))
            WHERE syn AND NOT ack AND NOT later_fragment
            GROUP BY window_start, window_end, destination_address HAVING COUNT(*) > 10
            """)
        .stream()
        .map(
            row ->
                "%d %s %d"
                    .formatted(
                        ((LocalDateTime) row.getField(0)).toEpochSecond(ZoneOffset.UTC),
                        row.getField(1),
                        (Long) row.getField(2)))
        .sorted()
        .toList();
  }
}
