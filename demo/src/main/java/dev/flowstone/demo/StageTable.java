// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.io.PrintStream;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Draws the stages: over itself on a terminal, else one line a second. */
final class StageTable {
  private static final String HEADER =
      String.format(
          "%-16s %16s %14s %12s %16s  %-22s %s",
          "stage", "in", "rate/s", "queued", "out", "dropped", "ring space");

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
  void refresh(List<Stage> stages, String footer) {
    long nowNs = System.nanoTime();
    double seconds = (nowNs - earlierNs) / 1e9;
    earlierNs = nowNs;
    StringBuilder text = new StringBuilder();
    if (terminal) {
      text.append(drawnLines > 0 ? "\u001b[" + drawnLines + "A" : "");
      append(text, HEADER);
      stages.forEach(stage -> append(text, row(stage, rate(stage, seconds))));
      append(text, footer);
      drawnLines = stages.size() + 2;
    } else {
      text.append(brief(stages, seconds)).append('\n');
    }
    out.print(text);
    out.flush();
  }

  /** The whole table, once more, to stay. */
  void finish(List<Stage> stages, double averageSeconds) {
    StringBuilder text = new StringBuilder();
    if (terminal && drawnLines > 0) {
      text.append("\u001b[").append(drawnLines).append("A");
    }
    append(text, HEADER);
    stages.forEach(stage -> append(text, row(stage, stage.in() / averageSeconds)));
    if (terminal) {
      text.append("\u001b[J");
    }
    out.print(text);
    out.flush();
  }

  private void append(StringBuilder text, String line) {
    text.append(line).append(terminal ? "\u001b[K\n" : "\n");
  }

  private double rate(Stage stage, double seconds) {
    Long before = earlierIn.put(stage.name(), stage.in());
    return before == null ? 0 : (stage.in() - before) / seconds;
  }

  private static String row(Stage stage, double rate) {
    return String.format(
        Locale.ROOT,
        "%-16s %,16d %,14.0f %12s %,16d  %-22s %s",
        stage.name(),
        stage.in(),
        rate,
        stage.queued().isPresent()
            ? String.format(Locale.ROOT, "%,d", stage.queued().getAsLong())
            : "",
        stage.out(),
        stage.dropped() == 0
            ? "0"
            : String.format(Locale.ROOT, "%,d %s", stage.dropped(), stage.dropReason()),
        stage.space().isPresent() ? bar(stage.space().getAsDouble()) : "");
  }

  private static String bar(double share) {
    int cells = 10;
    int full = (int) Math.round(Math.clamp(share, 0, 1) * cells);
    return "["
        + "#".repeat(full)
        + ".".repeat(cells - full)
        + "]"
        + String.format(Locale.ROOT, " %3.0f %%", share * 100);
  }

  private String brief(List<Stage> stages, double seconds) {
    StringBuilder line = new StringBuilder();
    for (Stage stage : stages) {
      line.append(
          String.format(
              Locale.ROOT,
              "%s%s %,d in %,.0f/s %,d dropped",
              line.isEmpty() ? "" : " | ",
              stage.name(),
              stage.in(),
              rate(stage, seconds),
              stage.dropped()));
    }
    return line.toString();
  }
}
