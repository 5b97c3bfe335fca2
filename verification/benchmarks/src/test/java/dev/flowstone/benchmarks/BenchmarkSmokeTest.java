// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each benchmark still runs and says what it must; how fast is not asked on a build machine. */
class BenchmarkSmokeTest {

  /** Those that need no broker. */
  static List<Benchmark> benchmarks() {
    return List.of(
        new ParseBenchmark(), new RingBenchmark(), new SourceBenchmark(), new AllocBenchmark());
  }

  @ParameterizedTest
  @MethodSource("benchmarks")
  void shouldPrintOneLineWithFigureAndBaseline(Benchmark benchmark) throws Exception {
    String line = benchmark.run(BenchScale.SMOKE).toJson();

    assertThat(line).doesNotContain("\n");
    JsonNode result = new ObjectMapper().readTree(line);
    assertThat(result.get("name").asText()).isEqualTo(benchmark.name());
    assertThat(result.get("figure").asDouble()).isPositive();
    assertThat(result.get("baseline").asDouble()).isPositive();
    assertThat(result.get("ratio").asDouble()).isPositive();
    assertThat(result.get("runs")).hasSize(BenchScale.SMOKE.windows());
    assertThat(result.get("machine").asText()).contains("cores");
  }
}
