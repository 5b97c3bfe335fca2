// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static dev.flowstone.benchmarks.MeasuredLine.number;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flowstone.tap.card.Emulator;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The full form of each benchmark, in the least time: all its figures and baselines are there. */
@Tag("slow")
class FullBenchmarksTest {
  private static final Set<String> WITH_TEST =
      Set.of("card", "classify", "kafka", "wire", "histogram", "syn", "platform", "state", "sql");

  private static final BenchScale BACKBONE = BenchScale.SMOKE.withMixes(List.of(Mix.BACKBONE));
  private static final BenchScale RESAMPLED = BenchScale.SMOKE.withMixes(List.of(Mix.RESAMPLED));

  static Stream<Benchmark> benchmarksWithoutTestOfTheirOwn() {
    return BenchCommand.BENCHMARKS.stream().filter(each -> !WITH_TEST.contains(each.name()));
  }

  @ParameterizedTest
  @MethodSource("benchmarksWithoutTestOfTheirOwn")
  void shouldMeasureBothMixes(Benchmark benchmark) throws Exception {
    JsonNode line = MeasuredLine.of(benchmark, BenchScale.SMOKE);

    if (benchmark.hasMixes()) {
      double other = number(line, "/other_mix/figure");
      assertThat(line.get("figure").asDouble())
          .satisfiesAnyOf(
              least -> assertThat(least).isLessThanOrEqualTo(other),
              _ -> assertThat(line.get("unit").asText()).startsWith("bytes"));
    }
  }

  /** Requires the emulated card, which {@code ./flowstone test} builds. */
  @Test
  void shouldMeasureCopiesOfACard() throws Exception {
    assumeTrue(
        new Emulator(Emulator.usualPrograms(), Path.of("")).isThere(),
        "SKIPPED: no emulated card at " + Emulator.usualPrograms() + " (make -C hw emulator)");
    JsonNode line = MeasuredLine.of(new CardBenchmark(), BenchScale.SMOKE);

    requirePositive(line, "card_ns_per_record", "tap_ns_per_record", "ns_per_sync");
    assertThat(line.get("lost_packets").asLong()).isZero();
  }

  @Test
  void shouldFindRulesOfManyToo() throws Exception {
    JsonNode line = MeasuredLine.of(new ClassifyBenchmark(), BenchScale.SMOKE);

    requirePositive(line, "flows");
    assertThat(number(line, "/figure_1000"))
        .isLessThanOrEqualTo(number(line, "/other_mix_1000/figure"));
    requireRatio(line, "_1000");
    JsonNode percents = line.get("percent_of_packets_1000");
    requirePositive(percents, "pass", "aggregate", "histogram");
    assertThat(percents.get("pass").asDouble()).as("of the default").isLessThan(99);
  }

  @Test
  void shouldMeasureHistogramsOfFewFlowsAndOfMany() throws Exception {
    JsonNode line = MeasuredLine.of(new HistogramBenchmark(), BenchScale.SMOKE);

    requireRatio(line, "_1m");
    requirePositive(line, "figure_resampled");
  }

  @Test
  void shouldMeasureSqlOfConditionsCountsAndRows() throws Exception {
    JsonNode line = MeasuredLine.of(new OnMixes(new SqlBenchmark()), BACKBONE);

    requirePositive(line, "figure_by_destination", "figure_counts", "figure_counts_by_protocol");
    requirePositive(line, "figure_unfiltered");
  }

  @Test
  void shouldMeasureSynsBesideFlinkAndKafkaStreams() throws Exception {
    JsonNode line = MeasuredLine.of(new SynBenchmark(), BenchScale.SMOKE);

    double streams = number(line, "/kafka_streams");
    double ratio = line.get("figure").asDouble() / streams;
    assertThat(number(line, "/ratio_kafka_streams")).isCloseTo(ratio, within(ratio / 100));
    assertThat(streams).isLessThan(number(line, "/kafka_streams_without_broker"));
    requirePositive(line, "figure_resampled");
    assertThat(line.get("range_resampled")).hasSize(2);
  }

  @Test
  void shouldMeasureThePlatformWithEveryFunction() throws Exception {
    JsonNode line = MeasuredLine.of(new OnMixes(new PlatformBenchmark()), RESAMPLED);

    JsonNode percents = line.get("percent_of_packets");
    assertThat(percents.properties())
        .extracting(Map.Entry::getKey)
        .containsExactlyInAnyOrder(
            "pass", "drop", "sample", "aggregate", "histogram", "anomaly", "user");
    percents.fieldNames().forEachRemaining(function -> requirePositive(percents, function));
    assertThat(percents.properties().stream().mapToDouble(each -> each.getValue().asDouble()).sum())
        .isCloseTo(100, within(0.1));
    assertThat(line.get("rules").asInt()).isEqualTo(16);
  }

  @Test
  void shouldMeasureWhatCheckpointsCost() throws Exception {
    JsonNode line = MeasuredLine.of(new StateBenchmark(), BenchScale.SMOKE);

    requirePositive(line, "checkpoints", "bytes_per_checkpoint", "dirty_bytes");
    assertThat(number(line, "/written_per_dirty"))
        .isCloseTo(
            number(line, "/bytes_per_checkpoint") / number(line, "/dirty_bytes"), within(0.01));
    requirePositive(line, "histogram_process_bytes", "figure_resampled");
    // If nothing is lost, the loss is about zero, on either side.
    assertThat(number(line, "/loss_percent")).isLessThan(100);
    assertThat(number(line, "/histogram_flow_bytes"))
        .isGreaterThan(number(line, "/dirty_bytes"))
        .isLessThan(number(line, "/histogram_process_bytes"));
    for (String key : List.of("samples_at_zero", "least_100ms", "least_100ms_resampled")) {
      assertThat(number(line, "/" + key)).as(key).isNotNegative();
    }
  }

  @Test
  void shouldMeasureKafkaWithAllItsBaselines() throws Exception {
    JsonNode line = MeasuredLine.of(new OnMixes(new KafkaBenchmark()), BACKBONE);

    requireKafka(line);
    double parserTimes = number(line, "/cpu_ns_per_packet") / number(line, "/parser_ns_per_packet");
    assertThat(number(line, "/cpu_times_parser")).isCloseTo(parserTimes, within(parserTimes / 100));
    double toolRatio = number(line, "/bytes_per_s") / number(line, "/producer_tool");
    assertThat(number(line, "/ratio_producer_tool")).isCloseTo(toolRatio, within(toolRatio / 100));
    assertThat(line.get("producer_tool_range")).hasSize(2);
  }

  @Test
  void shouldMeasureTheWholeWay() throws Exception {
    requireKafka(MeasuredLine.of(new OnMixes(new WireBenchmark()), RESAMPLED));
  }

  private static void requireKafka(JsonNode line) {
    requirePositive(line, "cpu_ns_per_packet", "bytes_per_packet");
    requirePositive(line.get("at_least_once"), "figure");
  }

  private static void requireRatio(JsonNode line, String ending) {
    double ratio = number(line, "/figure" + ending) / number(line, "/baseline" + ending);
    assertThat(number(line, "/ratio" + ending)).isCloseTo(ratio, within(ratio / 100));
  }

  private static void requirePositive(JsonNode line, String... keys) {
    for (String key : keys) {
      assertThat(number(line, "/" + key)).as(key).isPositive();
    }
  }
}
