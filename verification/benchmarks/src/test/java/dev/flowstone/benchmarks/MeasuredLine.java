// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Locale;
import java.util.stream.DoubleStream;
import java.util.stream.StreamSupport;

/** The line of JSON that a benchmark prints, and the relations that hold for all of them. */
final class MeasuredLine {
  /** Numbers of a line are rounded to four digits. */
  private static final double ROUNDING = 0.002;

  private MeasuredLine() {}

  /** Runs a benchmark; its steps are those that it announced. */
  static JsonNode of(Benchmark benchmark, BenchScale scale) throws Exception {
    try (Progress progress = Progress.begin(benchmark.name(), benchmark.steps(scale))) {
      String line = BenchCommand.measured(benchmark, scale).toJson();
      assertThat(progress.steps()).as("steps").isEqualTo(benchmark.steps(scale).count());
      assertThat(line).doesNotContain("\n");
      JsonNode json = new ObjectMapper().readTree(line);
      requireComplete(json, benchmark, scale);
      return json;
    }
  }

  private static void requireComplete(JsonNode line, Benchmark benchmark, BenchScale scale) {
    assertThat(line.get("name").asText()).isEqualTo(benchmark.name());
    assertThat(line.get("form").asText()).isEqualTo(scale.form().name().toLowerCase(Locale.ROOT));
    assertThat(line.get("machine").asText()).contains("cores");
    assertThat(line.get("steal_percent").asDouble()).isBetween(0.0, 100.0);
    assertThat(line.get("disturbed").isBoolean()).isTrue();
    assertThat(line.get("runs")).hasSize(scale.windows());
    requireRatio(line);
    double[] runs =
        StreamSupport.stream(line.get("runs").spliterator(), false)
            .mapToDouble(JsonNode::asDouble)
            .toArray();
    assertThat(line.at("/range/0").asDouble()).isEqualTo(DoubleStream.of(runs).min().orElseThrow());
    assertThat(line.at("/range/1").asDouble()).isEqualTo(DoubleStream.of(runs).max().orElseThrow());
    assertThat(line.get("figure").asDouble())
        .isBetween(number(line, "/range/0"), number(line, "/range/1"));
    assertThat(line.get("baseline").asDouble())
        .isBetween(number(line, "/baseline_range/0"), number(line, "/baseline_range/1"));
    assertThat(line.get("baseline_name").asText()).isNotEmpty();
  }

  /** The ratio says how many times better the figure is than the baseline. */
  private static void requireRatio(JsonNode line) {
    double figure = line.get("figure").asDouble();
    double baseline = line.get("baseline").asDouble();
    boolean isLessBetter = line.get("unit").asText().startsWith("bytes");
    double ratio = isLessBetter ? baseline / figure : figure / baseline;
    assertThat(ratio).as("figure and baseline are positive").isFinite().isPositive();
    assertThat(line.get("ratio").asDouble()).isCloseTo(ratio, within(ROUNDING * ratio));
  }

  /** Returns a number, which must be there. */
  static double number(JsonNode line, String pointer) {
    assertThat(line.at(pointer).isNumber()).as(pointer + " is a number").isTrue();
    return line.at(pointer).asDouble();
  }
}
