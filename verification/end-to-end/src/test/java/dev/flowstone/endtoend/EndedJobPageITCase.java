// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.monitoring.page.PagePlaces;
import dev.flowstone.monitoring.page.PageServer;
import dev.flowstone.testbed.browser.Chromium;
import dev.flowstone.testbed.browser.HeatMap;
import dev.flowstone.testbed.browser.HeatMap.Cell;
import dev.flowstone.testbed.browser.HeatMap.Colour;
import dev.flowstone.testbed.browser.HeatMap.OnLine;
import dev.flowstone.testbed.browser.HeatMap.Told;
import dev.flowstone.testbed.browser.ScriptedJob;
import dev.flowstone.testbed.browser.ScriptedTables;
import dev.flowstone.testbed.browser.ShownPage;
import dev.flowstone.testbed.browser.ShownVerdict;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the page shows of a job that has ended: all that it knows is what QuestDB has. */
@Timeout(180)
class EndedJobPageITCase {
  private static final long SECOND_NS = 1_000_000_000;
  private static final int INTERVAL_S = 5;
  private static final int SPAN_S = 60;

  /** By the second in which an interval begins: how many gaps are how long. No line joins these. */
  private static final Map<Integer, Map<Long, Long>> APART =
      new TreeMap<>(
          Map.of(
              0, Map.of(220L, 1L, 22_000L, 10L),
              20, Map.of(220L, 10L, 3_500_000L, 100L),
              40, Map.of(22_000L, 1_000L),
              55, Map.of(220L, 1_000L, 22_000L, 1L, 350_000L, 100L)));

  private static final long MEDIAN_NS = 22_000;
  private static final long P99_NS = 3_500_000;
  private static final Map<Long, Long> STEADY = Map.of(MEDIAN_NS, 980L, P99_NS, 20L);

  /** Over red, green and blue, where a line is no wider than a pixel and a bit. */
  private static final long ALIKE = 60;

  @Test
  void shouldShowGapsAndWhatStagesReportedLast() throws Exception {
    Chromium.require();
    try (ScriptedJob job = new ScriptedJob(Map.of());
        ScriptedTables tables = new ScriptedTables();
        PageServer server = PageServer.bind(PageServer.LOCALHOST, 0)) {
      job.end();
      report(tables);
      tables.answer("SELECT time FROM histogram", List.of(Map.of("time", "1970-01-01T00:01:00Z")));
      tables.answer("histogram FROM histogram", rows());
      server.start(
          new PagePlaces(
              job.url(), Optional.empty(), Optional.of(tables.url()), List.of(), Optional.empty()));
      try (ShownPage page = ShownPage.open(server.url())) {
        page.await("document.querySelectorAll('#gaps-rule option').length === 2");
        requireGaps(new HeatMap(page));
        requireVerdict(new ShownVerdict(page));
        assertThat(page.complaints()).isEmpty();
      }
    }
  }

  private static List<Map<String, Object>> rows() {
    List<Map<String, Object>> rows = new ArrayList<>();
    APART.forEach((second, gaps) -> rows.add(row("apart", second, gaps)));
    for (int second = 0; second < SPAN_S; second += INTERVAL_S) {
      rows.add(row("steady", second, STEADY));
    }
    return rows;
  }

  private static Map<String, Object> row(String rule, int second, Map<Long, Long> gaps) {
    Histogram histogram = new Histogram(10, SECOND_NS, 3);
    gaps.forEach(histogram::recordValueWithCount);
    ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(bytes);
    return Map.of(
        "rule",
        rule,
        "begin_ns",
        second * SECOND_NS,
        "end_ns",
        (second + INTERVAL_S) * SECOND_NS,
        "overflow",
        0,
        "max",
        histogram.getMaxValue(),
        "histogram",
        Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length)));
  }

  private static void requireGaps(HeatMap map) throws Exception {
    map.choose("apart");
    requireCells(map);
    map.choose("steady");
    requireLine(map.line("median"), MEDIAN_NS);
    requireLine(map.line("p99"), P99_NS);
  }

  private static void requireCells(HeatMap map) throws Exception {
    List<Cell> cells = map.cells();
    assertThat(columns(cells)).isEqualTo(List.copyOf(APART.values()));
    assertThat(cells).as("also what is between columns").anyMatch(cell -> cell.told().isEmpty());
    Map<Long, Colour> colours = colours(cells);
    assertThat(colours.values().stream().mapToDouble(colour -> -colour.lightness()))
        .as("more are the darker: %s", colours)
        .isSorted()
        .doesNotHaveDuplicates()
        .hasSize(4);
    assertThat(colours.get(1_000L)).isEqualTo(map.most());
  }

  /** From left to right, if what is higher in one is longer: how many gaps are how long. */
  private static List<Map<Long, Long>> columns(List<Cell> cells) {
    List<Map<Long, Long>> columns = new ArrayList<>();
    double aboveNs = 0;
    for (Told told : cells.stream().flatMap(cell -> cell.told().stream()).toList()) {
      if (told.fromNs() > aboveNs) {
        columns.add(new TreeMap<>());
      }
      aboveNs = told.fromNs();
      if (told.count() > 0) {
        columns.getLast().put(valueIn(told), told.count());
      }
    }
    return columns;
  }

  /** By the count, if every cell with any is painted, as many alike, and nothing else is. */
  private static Map<Long, Colour> colours(List<Cell> cells) {
    Map<Long, Colour> colours = new TreeMap<>();
    for (Cell cell : cells) {
      long count = cell.told().map(Told::count).orElse(0L);
      assertThat(cell.colour().isPainted()).as("%s", cell).isEqualTo(count > 0);
      if (count > 0) {
        assertThat(colours.computeIfAbsent(count, _ -> cell.colour())).isEqualTo(cell.colour());
      }
    }
    return colours;
  }

  /** The one that is in that cell. */
  private static long valueIn(Told told) {
    return APART.values().stream()
        .flatMap(column -> column.keySet().stream())
        .filter(told::holds)
        .findFirst()
        .orElse(-1L);
  }

  /** From the first interval to the last, at that length. */
  private static void requireLine(List<OnLine> line, long ns) {
    assertThat(line)
        .hasSizeGreaterThan(100)
        .allSatisfy(
            place -> {
              assertThat(place.far()).isLessThan(ALIKE);
              assertThat(place.told().holds(ns)).as("%s", place).isTrue();
            });
  }

  /** Of a hundred packets of a job that came to its end. */
  private static void report(ScriptedTables tables) {
    tables.answer(
        "FROM stage",
        List.of(
            reported("*", "Source: rings", Map.of("packets_consumed", 100)),
            reported("*", "Rules", Map.of("packets", 100)),
            reported("default", "Rules", Map.of("packets_of_rule", 100)),
            reported("*", "Packets", Map.of("packets_in", 100, "packets_left_out", 0)),
            reported("*", "Packets", Map.of("packets_kept", 60, "packets_sampled", 40)),
            reported("*", "Kafka: packets: Writer", Map.of("packets_received", 97)),
            reported("*", "Kafka: packets: Writer", Map.of("packets_packed", 97))));
  }

  private static Map<String, Object> reported(
      String rule, String stage, Map<String, Integer> counters) {
    Map<String, Object> row = new TreeMap<>(counters);
    row.putAll(Map.of("rule", rule, "stage", stage, "subtask", "0", "since_ns", 1, "last", 1));
    return row;
  }

  /** What has stayed the same for a while is all that will come, and what it lacks is missing. */
  private static void requireVerdict(ShownVerdict verdict) throws Exception {
    verdict.await("bad");
    verdict.require(
        "bad", "NOT BALANCED: chosen 100, but to be packed 97: 3 missing", "kafka-packets");
  }
}
