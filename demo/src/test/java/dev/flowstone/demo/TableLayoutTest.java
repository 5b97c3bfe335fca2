// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TableLayoutTest {
  private static final List<Stage> STAGES =
      List.of(
          Stage.of("tap", 9_876_543_210L, 9_876_543_210L)
              .dropped(
                  List.of(
                      new Stage.Drop("before the tap", 1_234_567),
                      new Stage.Drop("cut short", 12))),
          Stage.of("ring 0", 9_876_543_210L, 9_876_543_210L)
              .dropped(List.of(new Stage.Drop("ring full", 0)))
              .space(0.42),
          Stage.of("Flink source", 12, 11).queued(33_554_432));

  private static List<String> lines(int columns) {
    List<OptionalLong> rates = Collections.nCopies(STAGES.size(), OptionalLong.of(9_876_543));
    return TableLayout.of(columns, STAGES).lines("rate/s", STAGES, rates);
  }

  @ParameterizedTest
  @ValueSource(ints = {42, 53, 59, 60, 73, 80, 84, 98, 99, 120, 200, 500})
  void shouldFitItsWidth(int columns) {
    assertThat(lines(columns)).hasSize(4).allSatisfy(l -> assertThat(l).hasSizeBetween(1, columns));
  }

  @ParameterizedTest
  @CsvSource({
    "117,'stage in rate/s queued out dropped ring space'",
    "110,'stage in rate/s queued out dropped full'",
    "99,'stage in rate/s out dropped full'",
    "98,'stage in rate/s dropped full'",
    "85,'stage in rate/s dropped full'",
    "80,'stage in rate/s out dropped full'",
    "60,'stage in rate/s dropped full'",
    "53,'stage in rate/s dropped'",
    "42,'stage in dropped'",
    "20,'stage in dropped'"
  })
  void shouldDoWithoutTheLeastFirst(int columns, String header) {
    assertThat(lines(columns).getFirst().replaceAll(" +", " ")).isEqualTo(header);
  }

  @Test
  void shouldUseTheWidthThereIs() {
    assertThat(lines(117).get(2)).endsWith("[##...]  42%");
    assertThat(lines(200).get(2)).endsWith("[#############.................]  42%");
    for (int columns : new int[] {85, 98, 99, 110, 117, 200}) {
      assertThat(lines(columns).get(1)).contains("1,234,567 before the tap, 12 cut short");
    }
  }

  /** A part of the reasons would be another one. */
  @Test
  void shouldSayANumberAloneWhereItsReasonsHaveNoRoom() {
    assertThat(lines(60).get(1)).endsWith(" 1,234,579");
    assertThat(lines(84).get(1)).endsWith(" 1,234,579");
  }
}
