// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Help.Ansi;

/**
 * Below the stages: rules with their packets beside a histogram, then alerts, the latest burst, top
 * talkers. What has no room is left out, the last first. One thread.
 */
final class Panels implements Below {
  private static final int GAP = 3;
  private static final int LABEL = 9;
  private static final int LEAST_HISTOGRAM_COLUMNS = 30;

  /** A bar says no more in a longer line. */
  private static final int MOST_HISTOGRAM_COLUMNS = 80;

  /** With the default; of more, the first. */
  private static final int MOST_RULES = 10;

  private static final int MOST_ALERTS = 6;
  private static final int MOST_TALKERS = 5;

  /** From so many rows on, a line is left free between two parts. */
  private static final int ROOMY = 16;

  private final RulesPanel rules;
  private final Findings findings;

  Panels(RulesPanel rules, Findings findings) {
    this.rules = rules;
    this.findings = findings;
  }

  void refresh(FunctionCounters counters) {
    rules.refresh(counters, System.nanoTime());
  }

  @Override
  public List<String> lines(int columns, int rows) {
    List<String> alerts = alerts(columns);
    int besides = alerts.isEmpty() ? 0 : 1;
    List<List<String>> parts =
        List.of(
            rulesBesideHistogram(columns, rows - besides),
            alerts,
            bursts(columns),
            talkers(columns));
    List<String> lines = new ArrayList<>();
    for (List<String> part : parts) {
      if (rows >= ROOMY && !part.isEmpty()) {
        lines.add("");
      }
      lines.addAll(part);
    }
    return lines.subList(0, Math.clamp(rows, 0, lines.size()));
  }

  private List<String> rulesBesideHistogram(int columns, int rows) {
    List<String> left = rules.lines();
    int most = Math.clamp(rows, 0, MOST_RULES + 1);
    int room = Math.min(columns - RulesPanel.WIDTH - GAP, MOST_HISTOGRAM_COLUMNS);
    List<String> right =
        room < LEAST_HISTOGRAM_COLUMNS ? List.of() : histogram(room, Math.max(most, 1));
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < Math.min(most, Math.max(left.size(), right.size())); i++) {
      String line =
          String.format(
              Locale.ROOT,
              "%-" + RulesPanel.WIDTH + "s%s%s",
              i < left.size() ? left.get(i) : "",
              " ".repeat(GAP),
              i < right.size() ? right.get(i) : "");
      lines.add(line.stripTrailing());
    }
    return lines;
  }

  /** Its title is the first of the rows. */
  private List<String> histogram(int columns, int rows) {
    List<String> lines = new ArrayList<>();
    findings
        .histogram()
        .ifPresent(
            latest -> {
              lines.add(cut(latest.title(), columns));
              lines.addAll(latest.lines(columns, rows - 1));
            });
    return lines;
  }

  private static String cut(String line, int columns) {
    return line.length() <= columns ? line : line.substring(0, Math.max(0, columns - 1)) + "~";
  }

  private List<String> alerts(int columns) {
    return labelled(
        "alerts",
        findings.alerts().stream()
            .limit(MOST_ALERTS)
            .map(news -> coloured(news, cut(news.line(), columns - LABEL)))
            .toList());
  }

  private static String coloured(AlertNews news, String line) {
    return news.isClosed() ? line : Ansi.ON.string("@|bold,red " + line + "|@");
  }

  private List<String> bursts(int columns) {
    return labelled(
        "bursts",
        findings.burst().map(burst -> cut(burst.line(), columns - LABEL)).stream().toList());
  }

  private List<String> talkers(int columns) {
    return labelled(
        "talkers",
        findings.talkers(MOST_TALKERS).stream()
            .map(talker -> cut(line(talker), columns - LABEL))
            .toList());
  }

  private static String line(TopTalkers.Talker talker) {
    return String.format(Locale.ROOT, "%,12d B/s  %s", talker.bytesPerSecond(), talker.flow());
  }

  /** What it is stands before the first line. */
  private static List<String> labelled(String label, List<String> lines) {
    List<String> labelled = new ArrayList<>();
    for (String line : lines) {
      labelled.add(
          String.format(Locale.ROOT, "%-" + LABEL + "s", labelled.isEmpty() ? label : "") + line);
    }
    return labelled;
  }

  @Override
  public List<String> news() {
    return findings.takeAlertNews().stream().map(news -> "alert " + news.line()).toList();
  }
}
