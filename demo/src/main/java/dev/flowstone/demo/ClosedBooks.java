// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.operators.ruled.FunctionKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The counters when nothing moves any more.
 *
 * @param seconds how long packets came
 */
record ClosedBooks(DemoCounters counters, Findings findings, double seconds) {
  private static final int MOST_ALERTS = 5;

  /** The last table, the sums, the verdict, and the report if one is wanted; the verdict. */
  boolean tell(StageTable table, Optional<Path> report) throws IOException {
    Balance balance = Balance.of(counters);
    table.finish(counters.stages(), seconds);
    tellSums();
    tellFindings();
    table.say(balance, counters.restarts(), counters.tap());
    if (report.isPresent()) {
      DemoReport.write(report.get(), counters, findings, balance, seconds);
    }
    return balance.isRight();
  }

  private void tellNotPassed() {
    FunctionCounters functions = counters.functions();
    FunctionCounters.Function chosen = functions.of(FunctionKind.PASS);
    System.out.printf(
        "  not passed: dropped by rule %,d, %s %,d%n",
        functions.dropped(), chosen.whyLeftOut(), chosen.leftOut());
    List<String> others =
        functions.functions().stream()
            .filter(each -> each.kind() != FunctionKind.PASS)
            .map(each -> text(each.name(), each.in()))
            .toList();
    int half = Math.ceilDiv(others.size(), 2);
    System.out.println(
        "  in place of packets: " + String.join(", ", others.subList(0, half)) + ",");
    System.out.println("    " + String.join(", ", others.subList(half, others.size())));
  }

  private static String text(String name, long count) {
    return String.format(Locale.ROOT, "%s %,d", name, count);
  }

  private void tellFindings() {
    if (counters.results().back().isEmpty()) {
      return;
    }
    List<String> kinds = new ArrayList<>();
    counters.results().back().forEach((kind, count) -> kinds.add(text(kind, count)));
    System.out.println("results: " + String.join(", ", kinds));
    List<AlertNews> latest = findings.alerts();
    latest.stream().limit(MOST_ALERTS).forEach(news -> System.out.println("  " + news.line()));
    long more = findings.alertsOpened() - MOST_ALERTS;
    if (more > 0) {
      System.out.printf("  alerts before these: %,d%n", more);
    }
  }

  private void tellSums() {
    System.out.printf(
        "%noffered %,d = written %,d + dropped %,d%n",
        counters.tap().offered(), counters.written(), counters.dropped());
    System.out.printf(
        "consumed %,d + lost %,d + not passed %,d = offered %,d%n",
        counters.consumer().packets(),
        counters.consumer().lost(),
        counters.functions().notPassed(),
        counters.offered());
    tellNotPassed();
    if (counters.tap().lostBeforeTap() > 0) {
      System.out.printf(
          "lost before the tap %,d, told to consumers as such %,d%n",
          counters.tap().lostBeforeTap(), counters.consumer().lostBeforeTap());
    }
    counters
        .tap()
        .notices()
        .forEach((notice, count) -> System.out.printf("%s: %,d%n", notice.text(), count));
    if (counters.batches().packetsOut() > 0) {
      System.out.printf(
          "%.1f bytes per packet in Kafka, %,d messages%n",
          (double) counters.batches().bytes() / counters.batches().packetsOut(),
          counters.batches().messages());
    }
    if (counters.offered() == 0) {
      System.out.println("no packet came");
    }
  }
}
