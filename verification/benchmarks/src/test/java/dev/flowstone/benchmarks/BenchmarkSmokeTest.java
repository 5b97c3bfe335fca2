// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.tap.card.Emulator;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each benchmark still runs and says what it must; how fast is not asked on a build machine. */
class BenchmarkSmokeTest {
  private static final Set<String> WITH_TEST =
      Set.of("card", "classify", "kafka", "wire", "histogram", "syn", "platform", "state", "sql");

  /** Those that have no test of their own. */
  static List<Benchmark> benchmarks() {
    return BenchCommand.BENCHMARKS.stream()
        .filter(each -> !WITH_TEST.contains(each.name()))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("benchmarks")
  void shouldPrintOneLineWithFigureAndBaseline(Benchmark benchmark) throws Exception {
    JsonNode result = line(BenchCommand.measured(benchmark, BenchScale.SMOKE));

    assertThat(result.get("name").asText()).isEqualTo(benchmark.name());
    assertThat(result.get("steal_percent").asDouble()).isNotNegative();
    assertThat(result.get("disturbed").isBoolean()).isTrue();
  }

  /** Where the emulated card was built, as {@code ./flowstone test} does. */
  @Test
  void shouldMeasureAnEmulatedCard() throws Exception {
    assumeTrue(
        new Emulator(Emulator.usualPrograms(), Path.of("")).isThere(),
        "SKIPPED: no emulated card at " + Emulator.usualPrograms() + " (make -C hw emulator)");
    JsonNode result = line(new CardBenchmark().run(BenchScale.SMOKE));

    requirePositive(result, "card_ns_per_record", "tap_ns_per_record", "ns_per_sync");
    assertThat(result.get("lost_packets").asLong()).isZero();
  }

  @Test
  void shouldFindRulesOfManyToo() throws Exception {
    JsonNode result = line(new ClassifyBenchmark().run(BenchScale.SMOKE));

    requirePositive(result, "figure_1000", "baseline_1000", "ratio_1000", "flows");
    assertThat(result.get("figure_1000").asDouble())
        .isLessThanOrEqualTo(result.at("/other_mix_1000/figure").asDouble());
    JsonNode percents = result.get("percent_of_packets_1000");
    requirePositive(percents, "pass", "aggregate", "histogram");
    assertThat(percents.get("pass").asDouble()).as("of the default").isLessThan(99);
  }

  @Test
  void shouldMeasureHistogramsOfFewFlowsAndOfMany() throws Exception {
    JsonNode result = line(new HistogramBenchmark().run(BenchScale.SMOKE));

    requirePositive(result, "figure_1m", "baseline_1m", "ratio_1m", "figure_resampled");
  }

  @Test
  void shouldMeasureSqlOfConditionsCountsAndRows() throws Exception {
    JsonNode result = line(new SqlBenchmark().run(Mix.BACKBONE, BenchScale.SMOKE));

    requirePositive(result, "figure_by_destination", "figure_counts", "figure_counts_by_protocol");
    requirePositive(result, "figure_unfiltered");
  }

  @Test
  void shouldMeasureSynsBesideFlinkAndKafkaStreams() throws Exception {
    JsonNode result = line(new SynBenchmark().run(BenchScale.SMOKE));

    requirePositive(result, "ratio_kafka_streams", "kafka_streams", "figure_resampled");
    assertThat(result.get("range_resampled")).hasSize(2);
  }

  @Test
  void shouldMeasureThePlatformWithEveryFunction() throws Exception {
    JsonNode result = line(new PlatformBenchmark().run(Mix.RESAMPLED, BenchScale.SMOKE));

    JsonNode percents = result.get("percent_of_packets");
    assertThat(percents.properties())
        .extracting(Map.Entry::getKey)
        .containsExactlyInAnyOrder(
            "pass", "drop", "sample", "aggregate", "histogram", "anomaly", "user");
    percents.fieldNames().forEachRemaining(function -> requirePositive(percents, function));
    assertThat(percents.properties().stream().mapToDouble(each -> each.getValue().asDouble()).sum())
        .isCloseTo(100, within(0.1));
    assertThat(result.get("rules").asInt()).isEqualTo(16);
  }

  @Test
  void shouldMeasureWhatCheckpointsCost() throws Exception {
    JsonNode result = line(new StateBenchmark().run(BenchScale.SMOKE));

    requirePositive(
        result, "checkpoints", "bytes_per_checkpoint", "dirty_bytes", "written_per_dirty");
    requirePositive(result, "histogram_process_bytes", "figure_resampled");
    // Where nothing is lost, it is about zero, on either side.
    assertThat(result.get("loss_percent").isNumber()).isTrue();
    assertThat(result.get("loss_percent").asDouble()).isLessThan(100);
    assertThat(result.get("histogram_flow_bytes").asLong())
        .isGreaterThan(result.get("dirty_bytes").asLong())
        .isLessThan(result.get("histogram_process_bytes").asLong());
    for (String key : List.of("samples_at_zero", "least_100ms", "least_100ms_resampled")) {
      assertThat(result.get(key).isNumber()).as(key).isTrue();
      assertThat(result.get(key).asDouble()).as(key).isNotNegative();
    }
  }

  @Test
  void shouldMeasureKafkaWithAllItsBaselines() throws Exception {
    JsonNode result = line(new KafkaBenchmark().run(Mix.BACKBONE, BenchScale.SMOKE));

    requireKafka(result);
    requirePositive(result, "cpu_times_parser", "ratio_producer_tool");
    assertThat(result.get("producer_tool_range")).hasSize(2);
  }

  @Test
  @Tag("slow")
  void shouldMeasureTheWholeWay() throws Exception {
    requireKafka(line(new WireBenchmark().run(Mix.RESAMPLED, BenchScale.SMOKE)));
  }

  private static void requireKafka(JsonNode result) {
    requirePositive(result, "cpu_ns_per_packet", "bytes_per_packet");
    requirePositive(result.get("at_least_once"), "figure");
  }

  private static void requirePositive(JsonNode result, String... keys) {
    for (String key : keys) {
      assertThat(result.path(key).isNumber()).as(key + " is a number").isTrue();
      assertThat(result.get(key).asDouble()).as(key).isPositive();
    }
  }

  private static JsonNode line(BenchResult measured) throws Exception {
    String line = measured.toJson();
    assertThat(line).doesNotContain("\n");
    JsonNode result = new ObjectMapper().readTree(line);
    requirePositive(result, "figure", "baseline", "ratio");
    assertThat(result.get("runs")).hasSize(BenchScale.SMOKE.windows());
    assertThat(result.get("range")).hasSize(2);
    assertThat(result.get("machine").asText()).contains("cores");
    return result;
  }
}
