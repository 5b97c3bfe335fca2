// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The columns of the stage table that a width has room for. What a narrower one can do without goes
 * first: the bars, what is queued, what went out, how full the rings are, the rates; never what
 * came in and what was dropped. What a wider one has left goes to the reasons of drops, then to the
 * bars.
 *
 * @param dropped width of the column of drops
 * @param barCells length of a ring's bar; none: how full it is in figures alone
 */
record TableLayout(
    boolean rate, boolean queued, boolean out, boolean space, int dropped, int barCells) {
  private static final int NAME = 14;
  private static final int COUNT = 13;
  private static final int RATE = 10;
  private static final int PERCENT = 5;
  private static final int LEAST_BAR_CELLS = 5;
  private static final int MOST_BAR_CELLS = 30;
  private static final int BAR_FRAME = 2;

  /** A count, and more if there is room. */
  private static final int NARROW_DROPPED = 12;

  private static final int USUAL_DROPPED = 20;

  /** From rich to poor. */
  private static final List<TableLayout> CHOICE =
      List.of(
          new TableLayout(true, true, true, true, USUAL_DROPPED, LEAST_BAR_CELLS),
          new TableLayout(true, true, true, true, NARROW_DROPPED, 0),
          new TableLayout(true, false, true, true, NARROW_DROPPED, 0),
          new TableLayout(true, false, false, true, NARROW_DROPPED, 0),
          new TableLayout(true, false, false, false, NARROW_DROPPED, 0),
          new TableLayout(false, false, false, false, NARROW_DROPPED, 0));

  static TableLayout of(int columns, List<Stage> stages) {
    int longestDrop = stages.stream().mapToInt(stage -> stage.dropText().length()).max().orElse(0);
    return CHOICE.stream()
        .filter(layout -> layout.space && layout.widthFor(longestDrop) <= columns)
        .findFirst()
        .or(() -> CHOICE.stream().filter(layout -> layout.width() <= columns).findFirst())
        .orElse(CHOICE.getLast())
        .filling(columns, longestDrop);
  }

  /** With the longest reason: without one, what was left out looks like a loss. */
  private int widthFor(int longestDrop) {
    return width() + Math.max(0, longestDrop - dropped);
  }

  private int width() {
    return NAME
        + 1
        + COUNT
        + (rate ? 1 + RATE : 0)
        + (queued ? 1 + RATE : 0)
        + (out ? 1 + COUNT : 0)
        + 2
        + dropped
        + (space ? 1 + PERCENT : 0)
        + (barCells > 0 ? BAR_FRAME + barCells : 0);
  }

  private TableLayout filling(int columns, int longestDrop) {
    int spare = Math.max(0, columns - width());
    int forDrops = Math.clamp(longestDrop - dropped, 0, spare);
    int forBars = barCells > 0 ? Math.min(spare - forDrops, MOST_BAR_CELLS - barCells) : 0;
    return new TableLayout(rate, queued, out, space, dropped + forDrops, barCells + forBars);
  }

  /**
   * The table, its header first.
   *
   * @param rateName what the rates are
   * @param rates one for each stage
   */
  List<String> lines(String rateName, List<Stage> stages, List<OptionalLong> rates) {
    List<String> lines = new ArrayList<>();
    String fullness = barCells > 0 ? "ring space" : " full";
    lines.add(line("stage", "in", rateName, "queued", "out", "dropped", fullness));
    for (int i = 0; i < stages.size(); i++) {
      Stage stage = stages.get(i);
      lines.add(
          line(
              stage.name(),
              number(stage.in()),
              number(rates.get(i)),
              number(stage.queued()),
              number(stage.out()),
              drops(stage),
              fullness(stage)));
    }
    return lines;
  }

  private String line(
      String name,
      String in,
      String rateText,
      String queuedText,
      String outText,
      String drops,
      String fullness) {
    return Stream.of(
            column(true, -NAME, 0, name),
            column(true, COUNT, 1, in),
            column(rate, RATE, 1, rateText),
            column(queued, RATE, 1, queuedText),
            column(out, COUNT, 1, outText),
            column(true, -dropped, 2, drops),
            column(space, -1, 1, fullness))
        .reduce("", String::concat)
        .stripTrailing();
  }

  /**
   * @param width negative: to the left
   */
  private static String column(boolean shown, int width, int gap, String text) {
    return shown ? " ".repeat(gap) + String.format("%" + width + "s", text) : "";
  }

  /** The reasons only whole: a part of one would say something else. */
  private String drops(Stage stage) {
    String text = stage.dropText();
    return text.length() <= dropped ? text : number(stage.dropped());
  }

  private String fullness(Stage stage) {
    if (stage.space().isEmpty()) {
      return "";
    }
    double share = stage.space().getAsDouble();
    String percent = String.format(Locale.ROOT, "%4.0f%%", share * 100);
    int full = (int) Math.round(Math.clamp(share, 0, 1) * barCells);
    return barCells > 0
        ? "[" + "#".repeat(full) + ".".repeat(barCells - full) + "]" + percent
        : percent;
  }

  static String number(OptionalLong value) {
    return value.isPresent() ? number(value.getAsLong()) : "";
  }

  static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }
}
