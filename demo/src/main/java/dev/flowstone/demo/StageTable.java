// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.offheap.TerminalSize;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine.Help.Ansi;

/**
 * Draws the stages: over itself on a terminal, as wide as that is at the moment, else one line a
 * second. When the window changes, terminals break lines anew, each in its own way, and nobody
 * knows any more where the table stands: then the screen is drawn from its top. Any thread.
 */
final class StageTable {
  private static final String RUNNING = "rate/s";
  private static final String ENDED = "average/s";

  /** Without a terminal: what reports of a hundred columns have room for. */
  private static final int USUAL_COLUMNS = 99;

  /** What is said above the table; of more, the latest is worth most. */
  private static final int MOST_LINES_ABOVE = 20;

  /** Lines are cut at the edge of a narrow terminal: wrapped ones could not be drawn over. */
  private static final String NO_WRAP = "\u001b[?7l";

  private static final String WRAP = "\u001b[?7h";

  /** Wherever a terminal that shows Ctrl-C has left it. */
  private static final String TO_COLUMN_1 = "\r";

  private static final String REST_OF_LINE = "\u001b[K";
  private static final String REST_OF_SCREEN = "\u001b[J";
  private static final String EMPTY_SCREEN = "\u001b[H\u001b[2J";

  private final PrintStream out;
  private final boolean terminal;
  private final Supplier<TerminalSize> size;
  private final Deque<String> above = new ArrayDeque<>();
  private final Rates rates = new Rates(System.nanoTime());
  private int drawnLines;
  private TerminalSize drawnSize;

  /**
   * @param size of the terminal, at the moment it is asked for
   */
  StageTable(PrintStream out, boolean terminal, Supplier<TerminalSize> size) {
    this.out = out;
    this.terminal = terminal;
    this.size = size;
  }

  /** A line that stays above the table. */
  synchronized void announce(String line) {
    makeWay();
    remember(line);
    out.println(line);
  }

  /** As {@link #announce}, on standard error. */
  synchronized void warn(String line) {
    makeWay();
    remember(line);
    System.err.println(line);
  }

  private void remember(String line) {
    above.addLast(line);
    if (above.size() > MOST_LINES_ABOVE) {
      above.removeFirst();
    }
  }

  /** Shows the stages as they are now, with rates since the last time, and what stands below. */
  synchronized void refresh(List<Stage> stages, Below below) {
    rates.look(System.nanoTime());
    List<OptionalLong> rateOfStage =
        stages.stream().map(stage -> rates.of(stage.name(), stage.in())).toList();
    if (terminal) {
      TerminalSize now = size.get();
      List<String> lines = new ArrayList<>(layout(now, stages).lines(RUNNING, stages, rateOfStage));
      // What has scrolled away could not be drawn over either.
      int most = Math.max(1, now.rows() - 1);
      lines.addAll(below.lines(now.columns() - 1, most - lines.size()));
      draw(lines.subList(0, Math.min(lines.size(), most)), now);
    } else {
      out.println(brief(stages, rateOfStage));
      below.news().forEach(out::println);
    }
  }

  /** The whole table, once more, to stay; nothing waits any more. */
  synchronized void finish(List<Stage> stages, double averageSeconds) {
    List<OptionalLong> rates =
        stages.stream().map(stage -> perSecond(stage.in(), averageSeconds)).toList();
    List<Stage> ended = stages.stream().map(Stage::notQueued).toList();
    TerminalSize now = terminal ? size.get() : new TerminalSize(USUAL_COLUMNS, 0);
    List<String> lines = layout(now, ended).lines(ENDED, ended, rates);
    if (terminal) {
      draw(lines, now);
    } else {
      lines.forEach(out::println);
    }
    drawnLines = 0;
  }

  /** A terminal's last column stays free: what erases the rest of a line would take it, too. */
  private TableLayout layout(TerminalSize now, List<Stage> stages) {
    return TableLayout.of(terminal ? now.columns() - 1 : now.columns(), stages);
  }

  /** Takes away what would be drawn over, so that somebody else's lines can stand above it. */
  private void makeWay() {
    if (drawnLines > 0) {
      out.print(toItsBegin(size.get()) + REST_OF_SCREEN);
      out.flush();
      drawnLines = 0;
    }
  }

  private String toItsBegin(TerminalSize now) {
    if (drawnLines == 0) {
      return "";
    }
    return now.equals(drawnSize)
        ? TO_COLUMN_1 + "\u001b[" + drawnLines + "A"
        : EMPTY_SCREEN + above.stream().map(line -> line + "\n").collect(Collectors.joining());
  }

  private void draw(List<String> lines, TerminalSize now) {
    StringBuilder text = new StringBuilder(toItsBegin(now)).append(NO_WRAP);
    lines.forEach(line -> text.append(line).append(REST_OF_LINE).append('\n'));
    out.print(text.append(REST_OF_SCREEN).append(WRAP));
    out.flush();
    drawnLines = lines.size();
    drawnSize = now;
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
    } else if (tap.lostBeforeTap() > 0 || tap.mergedFrames() > 0) {
      out.println(coloured("bold,yellow", unseenText(tap)));
    } else if (restarts > 0) {
      out.println(coloured("bold,yellow", "every packet accounted for, as far as the rings"));
    } else {
      out.println(coloured("green", "every packet accounted for"));
    }
  }

  private static String unseenText(TapCounters tap) {
    StringBuilder text = new StringBuilder("accounted for is every packet that the tap saw");
    long lost = tap.lostBeforeTap();
    if (lost > 0) {
      double percent = 100.0 * lost / (lost + tap.seen());
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

  private static OptionalLong perSecond(long count, double seconds) {
    return OptionalLong.of(Math.round(count / seconds));
  }

  private static String brief(List<Stage> stages, List<OptionalLong> rates) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < stages.size(); i++) {
      Stage stage = stages.get(i);
      if (stage.isBrief() || stage.dropped() > 0) {
        texts.add(
            stage.name()
                + " "
                + TableLayout.number(stage.in())
                + rates.get(i).stream()
                    .mapToObj(rate -> " +" + TableLayout.number(rate) + "/s")
                    .collect(Collectors.joining())
                + (stage.dropped() == 0 ? "" : " dropped " + stage.dropText()));
      }
    }
    return String.join(" | ", texts);
  }
}
