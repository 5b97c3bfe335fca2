// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.offheap.TerminalSize;
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

  private TerminalSize window = new TerminalSize(99, 40);

  private List<String> lines() {
    return written.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  void shouldFitAHundredColumnsWithLargeNumbers() {
    new StageTable(out, false, () -> window).finish(STAGES, 1000);
    assertThat(lines()).hasSize(5).allSatisfy(line -> assertThat(line).hasSizeLessThan(100));
    assertThat(lines().get(2)).endsWith("99,999,999 ring full [#####] 100%");
  }

  @Test
  void shouldNameOnlyReasonsThatOccurred() {
    new StageTable(out, false, () -> window).finish(STAGES, 1000);
    assertThat(lines().get(1)).endsWith("  7 before the tap");
    assertThat(lines().get(4)).endsWith("  0");
  }

  @Test
  void shouldDrawOverItselfOnATerminal() {
    StageTable table = new StageTable(out, true, () -> window);
    table.refresh(STAGES, Below.NOTHING);
    table.refresh(STAGES, Below.NOTHING);
    assertThat(written.toString(StandardCharsets.UTF_8)).containsOnlyOnce("\u001b[5A");
  }

  @Test
  void shouldTurnRedAndSayWhatDiffers() {
    Balance.Pair pair = new Balance.Pair("sent", 1_000, "received", 998);
    new StageTable(out, true, () -> window).say(new Balance(List.of(pair)), 0, TapCounters.NONE);
    assertThat(lines())
        .containsExactly(
            "\u001b[1m\u001b[31mNOT BALANCED\u001b[39m\u001b[21m\u001b[0m",
            "\u001b[1m\u001b[31m  sent 1,000, but received 998: 2 missing\u001b[39m\u001b[21m\u001b[0m");
  }

  @Test
  void shouldSayItWithoutColoursWhereNobodyLooksOn() {
    new StageTable(out, false, () -> window).say(new Balance(List.of()), 0, TapCounters.NONE);
    assertThat(lines()).containsExactly("every packet accounted for");
  }

  /** Where packets went after that, no counter says. */
  @Test
  void shouldNotBeGreenWhenFlinkStartedTheJobAgain() {
    new StageTable(out, false, () -> window).say(new Balance(List.of()), 1, TapCounters.NONE);
    assertThat(lines())
        .hasSize(2)
        .last()
        .isEqualTo("every packet accounted for, as far as the rings");
  }

  @Test
  void shouldShowBelowTheStagesWhatThereIsRoomFor() {
    StageTable table = new StageTable(out, true, () -> window);
    table.refresh(STAGES, below());
    assertThat(text()).contains("98 columns, 34 rows");
    written.reset();
    window = new TerminalSize(99, 4);
    table.refresh(STAGES, below());
    assertThat(text()).doesNotContain("columns");
  }

  @Test
  void shouldTellNewsWhereNothingIsDrawn() {
    new StageTable(out, false, () -> window).refresh(STAGES, below());
    assertThat(lines()).hasSize(2).last().isEqualTo("something happened");
  }

  private static Below below() {
    return new Below() {
      @Override
      public List<String> lines(int columns, int rows) {
        return List.of(columns + " columns, " + rows + " rows");
      }

      @Override
      public List<String> news() {
        return List.of("something happened");
      }
    };
  }

  /** One line is long enough without those that tell little. */
  @Test
  void shouldLeaveDetailsOutOfALineUnlessTheyDroppedSomething() {
    Stage ring = Stage.of("ring 0", 5, 5).detail();
    StageTable table = new StageTable(out, false, () -> window);
    table.refresh(List.of(Stage.of("tap", 5, 5), ring), Below.NOTHING);
    assertThat(text()).isEqualTo("tap 5\n");
    written.reset();
    table.refresh(List.of(ring.dropped(List.of(new Stage.Drop("ring full", 2)))), Below.NOTHING);
    assertThat(text()).startsWith("ring 0 5 +0/s dropped 2 ring full");
  }

  /** Nobody reads on who sees the green line. */
  @Test
  void shouldNotBeGreenWhenPacketsWereLostBeforeTheTap() {
    TapCounters tap = new TapCounters.Software(70, 930, Map.of(), Map.of(), 70, 70, true);
    new StageTable(out, true, () -> window).say(new Balance(List.of()), 0, tap);
    assertThat(lines())
        .containsExactly(
            "\u001b[1m\u001b[33maccounted for is every packet that the tap saw; 930 (93.0 %) were LOST"
                + " BEFORE THE TAP\u001b[39m\u001b[21m\u001b[0m");
  }

  /** A kernel that merges packets gives the tap fewer than there were. */
  @Test
  void shouldNotBeGreenWhenSeveralPacketsWereCountedAsOne() {
    Map<SourceNotice, Long> notices = Map.of(SourceNotice.ABOVE_MTU, 12L);
    TapCounters tap = new TapCounters.Software(70, 0, Map.of(), notices, 70, 70, true);
    new StageTable(out, true, () -> window).say(new Balance(List.of()), 0, tap);
    assertThat(lines())
        .containsExactly(
            "\u001b[1m\u001b[33maccounted for is every packet that the tap saw; 12 were probably"
                + " SEVERAL PACKETS IN ONE\u001b[39m\u001b[21m\u001b[0m");
  }

  @Test
  void shouldMakeWayForSomebodyElsesLines() {
    StageTable table = new StageTable(out, true, () -> window);
    table.refresh(STAGES, Below.NOTHING);
    written.reset();
    table.announce("no packet yet");
    assertThat(text()).isEqualTo("\r\u001b[5A\u001b[Jno packet yet\n");
    written.reset();
    table.refresh(STAGES, Below.NOTHING);
    assertThat(text()).doesNotContain("\u001b[5A");
  }

  @Test
  void shouldNotMakeWayWhereNothingIsDrawnOver() {
    StageTable table = new StageTable(out, false, () -> window);
    table.refresh(STAGES, Below.NOTHING);
    written.reset();
    table.announce("no packet yet");
    assertThat(text()).isEqualTo("no packet yet\n");
  }

  /** A terminal that is made narrower breaks the lines that stand there, each in its own way. */
  @Test
  void shouldDrawFromTheTopOfTheScreenWhenTheWindowChanges() {
    StageTable table = new StageTable(out, true, () -> window);
    table.announce("  Kafka    127.0.0.1:9092");
    table.refresh(STAGES, Below.NOTHING);
    written.reset();
    window = new TerminalSize(60, 40);
    table.refresh(STAGES, Below.NOTHING);
    assertThat(text())
        .startsWith("\u001b[H\u001b[2J  Kafka    127.0.0.1:9092\n")
        .doesNotContain("\u001b[5A");
    written.reset();
    table.refresh(STAGES, Below.NOTHING);
    assertThat(text()).startsWith("\r\u001b[5A").doesNotContain("\u001b[2J");
    window = new TerminalSize(80, 40);
    written.reset();
    table.announce("no packet yet");
    assertThat(text()).startsWith("\u001b[H\u001b[2J  Kafka");
  }

  /** In its last column the terminal would erase what was just written there. */
  @Test
  void shouldLeaveTheLastColumnFree() {
    new StageTable(out, true, () -> window).refresh(STAGES, Below.NOTHING);
    assertThat(text().replaceAll("\u001b\\[[?0-9]*[a-zA-Z]", "").lines())
        .hasSize(5)
        .allSatisfy(line -> assertThat(line).hasSizeLessThan(window.columns()));
  }

  @Test
  void shouldNotScrollAWindowThatIsLowerThanTheTable() {
    StageTable table = new StageTable(out, true, () -> window);
    window = new TerminalSize(99, 4);
    table.refresh(STAGES, Below.NOTHING);
    assertThat(text().lines().filter(line -> line.contains("Flink"))).isEmpty();
    written.reset();
    table.refresh(STAGES, Below.NOTHING);
    assertThat(text()).startsWith("\r\u001b[3A");
  }

  private String text() {
    return written.toString(StandardCharsets.UTF_8);
  }

  @Test
  void shouldBeGreenWhenNothingWasLostUnseen() {
    new StageTable(out, true, () -> window).say(new Balance(List.of()), 0, TapCounters.NONE);
    assertThat(lines()).containsExactly("\u001b[32mevery packet accounted for\u001b[39m\u001b[0m");
  }
}
