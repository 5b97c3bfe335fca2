// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The counters when nothing moves any more.
 *
 * @param seconds how long packets came
 */
record ClosedBooks(DemoCounters counters, double seconds) {

  /** The last table, the sums, the verdict, and the report if one is wanted; the verdict. */
  boolean tell(StageTable table, Optional<Path> report) throws IOException {
    Balance balance = Balance.of(counters);
    table.finish(counters.stages(), seconds);
    tellSums();
    table.say(balance, counters.restarts(), counters.tap());
    if (report.isPresent()) {
      DemoReport.write(report.get(), counters, balance, seconds);
    }
    return balance.isRight();
  }

  private void tellSums() {
    System.out.printf(
        "%noffered %,d = written %,d + dropped %,d%n",
        counters.tap().offered(), counters.written(), counters.dropped());
    System.out.printf(
        "consumed %,d + lost %,d = offered %,d   (consumed and lost as read back from Kafka)%n",
        counters.consumer().packets(), counters.consumer().lost(), counters.offered());
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
