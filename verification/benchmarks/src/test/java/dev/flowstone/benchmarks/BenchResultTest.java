// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.benchmarks.BenchResult.Better;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BenchResultTest {
  private static final Windows RUNS = new Windows(List.of(9.0, 10.0, 12.0));
  private static final Windows OTHERS = new Windows(List.of(4.0, 5.0, 6.0));

  private static BenchResult result(Better better) {
    return new BenchResult("x", "ns", better, RUNS, OTHERS, "other", Map.of("extra", 1.0 / 3));
  }

  @Test
  void shouldTakeTheMedianAndSayTheRange() {
    assertThat(RUNS.median()).isEqualTo(10);
    assertThat(RUNS.range()).containsExactly(9.0, 12.0);
    assertThat(new Windows(List.of(1.0, 2.0, 4.0, 9.0)).median()).isEqualTo(3);
  }

  @Test
  void shouldSayTheRangeOfTheBaselineToo() throws Exception {
    JsonNode line = line(result(Better.MORE));
    assertThat(line.get("baseline").asInt()).isEqualTo(5);
    assertThat(line.get("baseline_range").toString()).isEqualTo("[4.0,6.0]");
  }

  @Test
  void shouldSayHowManyTimesBetterInEitherDirection() {
    assertThat(result(Better.MORE).ratio()).isEqualTo(2);
    assertThat(result(Better.LESS).ratio()).isEqualTo(0.5);
  }

  @Test
  void shouldRoundToFourDigits() {
    assertThat(result(Better.MORE).toJson()).contains("\"extra\":0.3333");
  }

  @Test
  void shouldHaveTheWorseMixForItsFigureAndTheOtherBeside() throws Exception {
    JsonNode most =
        line(OnMixes.worst(List.of(mix("a", Better.MORE, 9), mix("b", Better.MORE, 7))));
    JsonNode least =
        line(OnMixes.worst(List.of(mix("a", Better.LESS, 9), mix("b", Better.LESS, 7))));

    assertThat(most.get("figure").asInt()).isEqualTo(7);
    assertThat(most.get("mix").asText()).isEqualTo("b");
    assertThat(most.at("/other_mix/figure").asInt()).isEqualTo(9);
    assertThat(most.at("/other_mix/mix").asText()).isEqualTo("a");
    assertThat(least.get("figure").asInt()).isEqualTo(9);
    assertThat(least.at("/other_mix/figure").asInt()).isEqualTo(7);
  }

  @ParameterizedTest
  @CsvSource({"MORE, 5, 4, 20, 30", "LESS, 5, 6, 20, 10"})
  void shouldHaveTheWorseMixOfEachFurtherFigureToo(
      Better better, double few, double fewOfOther, double many, double manyOfOther)
      throws Exception {
    BenchResult worse = mix("a", better, better == Better.MORE ? 1 : 9);
    BenchResult other = mix("b", better, 5);
    JsonNode line =
        line(
            OnMixes.worst(
                List.of(
                    further(worse, few, many).with("range_few", few).with("of_both", 1.0),
                    further(other, fewOfOther, manyOfOther)
                        .with("range_few", fewOfOther)
                        .with("of_both", 2.0))));

    assertThat(line.get("mix").asText()).isEqualTo("a");
    assertThat(line.get("figure_few").asDouble()).isEqualTo(fewOfOther);
    assertThat(line.get("range_few").asDouble()).isEqualTo(fewOfOther);
    assertThat(line.get("mix_few").asText()).isEqualTo("b");
    assertThat(line.get("figure_many").asDouble()).isEqualTo(many);
    assertThat(line.has("mix_many")).isFalse();
    assertThat(line.get("of_both").asDouble()).isEqualTo(1);
    assertThat(line.at("/other_mix/figure_few").asDouble()).isEqualTo(few);
    assertThat(line.at("/other_mix/range_few").asDouble()).isEqualTo(few);
    assertThat(line.at("/other_mix/mix_few").asText()).isEqualTo("a");
    assertThat(line.at("/other_mix/figure_many").asDouble()).isEqualTo(manyOfOther);
  }

  private static BenchResult further(BenchResult result, double few, double many) {
    return result.with("figure_few", few).with("figure_many", many);
  }

  /** Few rules and many need not be worse on the same mix. */
  @Test
  void shouldHaveTheWorseMixOfFewRulesAndOfMany() throws Exception {
    JsonNode line =
        line(
            ClassifyBenchmark.inOneLine(
                OnMixes.worst(List.of(mix("a", Better.MORE, 9), mix("b", Better.MORE, 8))),
                OnMixes.worst(List.of(mix("a", Better.MORE, 2), mix("b", Better.MORE, 3)))));

    assertThat(line.get("figure").asInt()).isEqualTo(8);
    assertThat(line.get("figure_1000").asInt()).isEqualTo(2);
    assertThat(line.get("mix_1000").asText()).isEqualTo("a");
    assertThat(line.at("/other_mix_1000/figure").asInt()).isEqualTo(3);
  }

  private static BenchResult mix(String mix, Better better, double figure) {
    Windows runs = new Windows(List.of(figure));
    return new BenchResult("x", "ns", better, runs, OTHERS, "other", Map.of("mix", mix));
  }

  private static JsonNode line(BenchResult result) throws Exception {
    return new ObjectMapper().readTree(result.toJson());
  }

  @Test
  void shouldSayHowMuchTheHostTook() {
    long[] first = StealTime.ticksOf("cpu  100 0 50 800 0 0 0 10 7 0\ncpu0 1 1 1 1\n");
    long[] last = StealTime.ticksOf("cpu  150 0 60 830 0 0 0 20 9 0\n");

    assertThat(StealTime.percent(first, last)).isEqualTo(10);
    assertThat(StealTime.percent(first, first)).isZero();
    assertThat(StealTime.isDisturbing(0.5)).isFalse();
    assertThat(StealTime.isDisturbing(2)).isTrue();
  }
}
