// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.raw.SourceNotice;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StageTableTest {
  private static final List<Stage> STAGES =
      List.of(
          Stage.of("tap", 9_876_543_210L, 9_876_543_210L)
              .dropped(List.of(new Stage.Drop("before the tap", 7), new Stage.Drop("unread", 0))),
          Stage.of("ring 0", 9_876_543_210L, 9_776_543_211L)
              .dropped(List.of(new Stage.Drop("ring full", 99_999_999)))
              .space(1),
          Stage.of("Flink source", 12, 11).queued(33_554_432),
          Stage.end("consumer", 11).dropped(List.of(new Stage.Drop("told as lost", 0))));

  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(written, true, StandardCharsets.UTF_8);

  private List<String> lines() {
    return written.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  void shouldFitAHundredColumnsWithLargeNumbers() {
    new StageTable(out, false).finish(STAGES, 1000);
    assertThat(lines()).hasSize(5).allSatisfy(line -> assertThat(line).hasSizeLessThan(100));
    assertThat(lines().get(2)).endsWith("99,999,999 ring full [#####] 100%");
  }

  @Test
  void shouldNameOnlyReasonsThatOccurred() {
    new StageTable(out, false).finish(STAGES, 1000);
    assertThat(lines().get(1)).endsWith("  7 before the tap");
    assertThat(lines().get(4)).endsWith("  0");
  }

  @Test
  void shouldDrawOverItselfOnATerminal() {
    StageTable table = new StageTable(out, true);
    table.refresh(STAGES);
    table.refresh(STAGES);
    assertThat(written.toString(StandardCharsets.UTF_8)).containsOnlyOnce("\u001b[5A");
  }

  @Test
  void shouldTurnRedAndSayWhatDiffers() {
    Balance.Pair pair = new Balance.Pair("sent", 1_000, "received", 998);
    new StageTable(out, true).say(new Balance(List.of(pair)), 0, TapCounters.NONE);
    assertThat(lines())
        .containsExactly(
            "\u001b[1m\u001b[31mNOT BALANCED\u001b[39m\u001b[21m\u001b[0m",
            "\u001b[1m\u001b[31m  sent 1,000, but received 998: 2 missing\u001b[39m\u001b[21m\u001b[0m");
  }

  @Test
  void shouldSayItWithoutColoursWhereNobodyLooksOn() {
    new StageTable(out, false).say(new Balance(List.of()), 0, TapCounters.NONE);
    assertThat(lines()).containsExactly("every packet accounted for");
  }

  /** Nobody reads on who sees the green line. */
  @Test
  void shouldNotBeGreenWhenPacketsWereLostBeforeTheTap() {
    TapCounters tap = new TapCounters(70, 930, Map.of(), Map.of(), 70, 70, true);
    new StageTable(out, true).say(new Balance(List.of()), 0, tap);
    assertThat(lines())
        .containsExactly(
            "\u001b[1m\u001b[33maccounted for is every packet that the tap saw; 930 (93.0 %) were LOST"
                + " BEFORE THE TAP\u001b[39m\u001b[21m\u001b[0m");
  }

  /** A kernel that merges packets gives the tap fewer than there were. */
  @Test
  void shouldNotBeGreenWhenSeveralPacketsWereCountedAsOne() {
    Map<SourceNotice, Long> notices = Map.of(SourceNotice.ABOVE_MTU, 12L);
    TapCounters tap = new TapCounters(70, 0, Map.of(), notices, 70, 70, true);
    new StageTable(out, true).say(new Balance(List.of()), 0, tap);
    assertThat(lines())
        .containsExactly(
            "\u001b[1m\u001b[33maccounted for is every packet that the tap saw; 12 were probably"
                + " SEVERAL PACKETS IN ONE\u001b[39m\u001b[21m\u001b[0m");
  }

  @Test
  void shouldMakeWayForSomebodyElsesLines() {
    StageTable table = new StageTable(out, true);
    table.refresh(STAGES);
    written.reset();
    table.makeWay();
    assertThat(written.toString(StandardCharsets.UTF_8)).isEqualTo("\u001b[5A\u001b[J");
    written.reset();
    table.refresh(STAGES);
    assertThat(written.toString(StandardCharsets.UTF_8)).doesNotContain("\u001b[5A");
  }

  @Test
  void shouldNotMakeWayWhereNothingIsDrawnOver() {
    StageTable table = new StageTable(out, false);
    table.refresh(STAGES);
    written.reset();
    table.makeWay();
    assertThat(written.size()).isZero();
  }

  @Test
  void shouldBeGreenWhenNothingWasLostUnseen() {
    new StageTable(out, true).say(new Balance(List.of()), 0, TapCounters.NONE);
    assertThat(lines()).containsExactly("\u001b[32mevery packet accounted for\u001b[39m\u001b[0m");
  }
}
