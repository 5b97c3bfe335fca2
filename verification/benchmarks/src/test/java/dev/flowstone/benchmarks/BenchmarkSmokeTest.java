// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each benchmark still runs and says what it must; how fast is not asked on a build machine. */
class BenchmarkSmokeTest {

  /** Those that have no test of their own. */
  static List<Benchmark> benchmarks() {
    return BenchCommand.BENCHMARKS.stream()
        .filter(each -> !List.of("kafka", "wire", "platform", "state").contains(each.name()))
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

  @Test
  void shouldFindRulesOfManyToo() throws Exception {
    JsonNode result = line(new ClassifyBenchmark().run(BenchScale.SMOKE));

    assertThat(result.get("figure_1000").asDouble())
        .isBetween(0.0, result.at("/other_mix_1000/figure").asDouble());
    assertThat(result.get("baseline_1000").asDouble()).isPositive();
    assertThat(result.get("default_percent_1000").asDouble()).isBetween(1.0, 99.0);
  }

  @Test
  void shouldMeasureThePlatformWithEveryFunction() throws Exception {
    JsonNode result = line(new PlatformBenchmark().run(Mix.RESAMPLED, BenchScale.SMOKE));

    JsonNode percents = result.get("percent_of_packets");
    assertThat(percents.properties())
        .extracting(Map.Entry::getKey)
        .containsExactlyInAnyOrder(
            "pass", "drop", "sample", "aggregate", "histogram", "anomaly", "user");
    assertThat(percents.properties())
        .allSatisfy(each -> assertThat(each.getValue().asDouble()).isPositive());
    assertThat(percents.properties().stream().mapToDouble(each -> each.getValue().asDouble()).sum())
        .isCloseTo(100, within(0.1));
    assertThat(result.get("rules").asInt()).isEqualTo(16);
  }

  @Test
  void shouldMeasureWhatCheckpointsCost() throws Exception {
    JsonNode result = line(new StateBenchmark().run(BenchScale.SMOKE));

    assertThat(result.get("loss_percent").asDouble()).isLessThan(100);
    assertThat(result.get("checkpoints").asInt()).isPositive();
    assertThat(result.get("bytes_per_checkpoint").asDouble()).isPositive();
    assertThat(result.get("dirty_bytes").asLong()).isPositive();
    assertThat(result.get("histogram_flow_bytes").asLong())
        .isGreaterThan(result.get("dirty_bytes").asLong())
        .isLessThan(result.get("histogram_process_bytes").asLong());
    assertThat(result.get("samples_at_zero").asInt()).isNotNegative();
    assertThat(result.get("least_100ms_resampled").asDouble()).isNotNegative();
  }

  @Test
  void shouldMeasureKafkaWithAllItsBaselines() throws Exception {
    JsonNode result = line(new KafkaBenchmark().run(Mix.BACKBONE, BenchScale.SMOKE));

    requireKafka(result);
    assertThat(result.get("cpu_times_parser").asDouble()).isPositive();
    assertThat(result.get("ratio_producer_tool").asDouble()).isPositive();
    assertThat(result.get("producer_tool_range")).hasSize(2);
  }

  @Test
  @Tag("slow")
  void shouldMeasureTheWholeWay() throws Exception {
    requireKafka(line(new WireBenchmark().run(Mix.RESAMPLED, BenchScale.SMOKE)));
  }

  private static void requireKafka(JsonNode result) {
    assertThat(result.at("/at_least_once/figure").asDouble()).isPositive();
    assertThat(result.get("cpu_ns_per_packet").asDouble()).isPositive();
    assertThat(result.get("bytes_per_packet").asDouble()).isPositive();
  }

  private static JsonNode line(BenchResult measured) throws Exception {
    String line = measured.toJson();
    assertThat(line).doesNotContain("\n");
    JsonNode result = new ObjectMapper().readTree(line);
    assertThat(result.get("figure").asDouble()).isPositive();
    assertThat(result.get("baseline").asDouble()).isPositive();
    assertThat(result.get("ratio").asDouble()).isPositive();
    assertThat(result.get("runs")).hasSize(BenchScale.SMOKE.windows());
    assertThat(result.get("range")).hasSize(2);
    assertThat(result.get("machine").asText()).contains("cores");
    return result;
  }
}
