// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import picocli.CommandLine.Help.Ansi;

/** Draws the stages: over itself on a terminal, else one line a second. 99 columns wide. */
final class StageTable {
  private static final String ROW = "%-14s %13s %10s %10s %13s  %-20s %s";
  private static final String RUNNING = header("rate/s");
  private static final String ENDED = header("average/s");
  private static final int BAR_CELLS = 5;

  /** Lines are cut at the edge of a narrow terminal: wrapped ones could not be drawn over. */
  private static final String NO_WRAP = "\u001b[?7l";

  private static final String WRAP = "\u001b[?7h";
  private static final String REST_OF_LINE = "\u001b[K";
  private static final String REST_OF_SCREEN = "\u001b[J";

  private final PrintStream out;
  private final boolean terminal;
  private final Map<String, Long> earlierIn = new HashMap<>();
  private long earlierNs = System.nanoTime();
  private int drawnLines;

  StageTable(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** Shows the stages as they are now, with rates since the last time. */
  void refresh(List<Stage> stages) {
    long nowNs = System.nanoTime();
    double seconds = (nowNs - earlierNs) / 1e9;
    earlierNs = nowNs;
    if (terminal) {
      StringBuilder text = new StringBuilder(RUNNING).append('\n');
      stages.forEach(stage -> text.append(row(stage, rate(stage, seconds))).append('\n'));
      draw(text.toString());
      drawnLines = stages.size() + 1;
    } else {
      out.println(brief(stages, seconds));
    }
  }

  /** The whole table, once more, to stay; nothing waits any more. */
  void finish(List<Stage> stages, double averageSeconds) {
    StringBuilder text = new StringBuilder(ENDED).append('\n');
    stages.forEach(
        stage ->
            text.append(row(stage.notQueued(), perSecond(stage.in(), averageSeconds)))
                .append('\n'));
    draw(text.toString());
    drawnLines = 0;
  }

  /** Takes away what would be drawn over, so that somebody else's lines can stand above it. */
  void makeWay() {
    out.print(up() + (drawnLines > 0 ? REST_OF_SCREEN : ""));
    out.flush();
    drawnLines = 0;
  }

  private String up() {
    return drawnLines > 0 ? "\u001b[" + drawnLines + "A" : "";
  }

  private void draw(String text) {
    if (terminal) {
      out.print(up() + NO_WRAP + text.replace("\n", REST_OF_LINE + "\n") + REST_OF_SCREEN + WRAP);
    } else {
      out.print(text);
    }
    out.flush();
  }

  /** The last word: whether the counters agree, which do not, and what no counter here ever saw. */
  void say(Balance balance, long restarts, TapCounters tap) {
    if (restarts > 0) {
      out.printf(
          "Flink started the job again, %d times: its own counters began anew and are not compared%n",
          restarts);
    }
    if (!balance.isRight()) {
      out.println(coloured("bold,red", "NOT BALANCED"));
      balance.differences().forEach(pair -> out.println(coloured("bold,red", "  " + pair)));
    } else if (tap.lostBeforeTap() == 0 && tap.mergedFrames() == 0) {
      out.println(coloured("green", "every packet accounted for"));
    } else {
      out.println(coloured("bold,yellow", unseenText(tap)));
    }
  }

  private static String unseenText(TapCounters tap) {
    StringBuilder text = new StringBuilder("accounted for is every packet that the tap saw");
    long lost = tap.lostBeforeTap();
    if (lost > 0) {
      double percent = 100.0 * lost / (lost + tap.sourcePackets());
      text.append(
          String.format(Locale.ROOT, "; %,d (%.1f %%) were LOST BEFORE THE TAP", lost, percent));
    }
    if (tap.mergedFrames() > 0) {
      text.append(
          String.format(
              Locale.ROOT, "; %,d were probably SEVERAL PACKETS IN ONE", tap.mergedFrames()));
    }
    return text.toString();
  }

  private String coloured(String style, String text) {
    return (terminal ? Ansi.ON : Ansi.OFF).string("@|" + style + " " + text + "|@");
  }

  private static String header(String rate) {
    return String.format(ROW, "stage", "in", rate, "queued", "out", "dropped", "ring space");
  }

  private static String row(Stage stage, OptionalLong rate) {
    return String.format(
            ROW,
            stage.name(),
            number(stage.in()),
            number(rate),
            number(stage.queued()),
            number(stage.out()),
            stage.dropText(),
            stage.space().isPresent() ? bar(stage.space().getAsDouble()) : "")
        .stripTrailing();
  }

  private static String number(OptionalLong value) {
    return value.isPresent() ? number(value.getAsLong()) : "";
  }

  private static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  private static String bar(double share) {
    int full = (int) Math.round(Math.clamp(share, 0, 1) * BAR_CELLS);
    return "["
        + "#".repeat(full)
        + ".".repeat(BAR_CELLS - full)
        + "]"
        + String.format(Locale.ROOT, "%4.0f%%", share * 100);
  }

  /** Since the last time; there is none at first. */
  private OptionalLong rate(Stage stage, double seconds) {
    Long before = earlierIn.put(stage.name(), stage.in());
    return before == null ? OptionalLong.empty() : perSecond(stage.in() - before, seconds);
  }

  private static OptionalLong perSecond(long count, double seconds) {
    return OptionalLong.of(Math.round(count / seconds));
  }

  private String brief(List<Stage> stages, double seconds) {
    List<String> texts = new ArrayList<>();
    for (Stage stage : stages) {
      String rate = number(rate(stage, seconds));
      texts.add(
          stage.name()
              + " "
              + number(stage.in())
              + (rate.isEmpty() ? "" : " +" + rate + "/s")
              + (stage.dropped() == 0 ? "" : " dropped " + stage.dropText()));
    }
    return String.join(" | ", texts);
  }
}
