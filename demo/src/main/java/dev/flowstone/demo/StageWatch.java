// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.commandline.EscapedText;
import dev.flowstone.commandline.StopSignals;
import dev.flowstone.harness.JobNews;
import dev.flowstone.processes.Patience;
import java.io.IOException;
import java.time.Duration;

/** Shows the stages' counters while packets flow. One thread. */
final class StageWatch {
  private static final Duration REFRESH = Duration.ofSeconds(1);
  private static final Duration FIRST_PACKET_POLL = Duration.ofMillis(50);
  private static final Duration JOB_END_PATIENCE = Duration.ofSeconds(60);

  private final Stages stages;
  private final StageTable table;
  private final Panels panels;
  private final JobNews news;

  StageWatch(Stages stages, StageTable table, Panels panels, JobNews news) {
    this.stages = stages;
    this.table = table;
    this.panels = panels;
    this.news = news;
  }

  /** Until the traffic ends or is to be stopped; how many seconds there was any. */
  double showTraffic(StopSignals signals) throws Exception {
    long trafficStartNs = System.nanoTime();
    FirstPacket first = new FirstPacket(trafficStartNs);
    boolean traffic = false;
    while (stages.tap().isAlive() && !signals.isStopping() && stages.flink().isRunning()) {
      stages.tap().awaitEnd(traffic ? REFRESH : FIRST_PACKET_POLL);
      stages.requireFarEnd();
      passOnNews();
      DemoCounters counters = stages.counters();
      if (!traffic && counters.offered() == 0) {
        trafficStartNs = System.nanoTime();
        first.words(trafficStartNs).ifPresent(table::announce);
        continue;
      }
      traffic = true;
      show(counters);
    }
    return (System.nanoTime() - trafficStartNs) / 1e9;
  }

  private void show(DemoCounters counters) {
    panels.refresh(counters.functions());
    table.refresh(counters.stages(), panels);
  }

  private void passOnNews() throws IOException {
    for (String warning : stages.tap().newWarnings()) {
      table.warn(EscapedText.of(warning));
    }
    for (String line : news.take()) {
      table.announce(EscapedText.of(line));
    }
  }

  /** Until what is under way has arrived. */
  void showTheRest() throws Exception {
    passOnNews();
    Patience patience = new Patience(JOB_END_PATIENCE);
    while (!stages.flink().awaitEnd(REFRESH)) {
      stages.requireFarEnd();
      DemoCounters counters = stages.counters();
      if (patience.isOver(counters)) {
        throw new IOException(
            "the Flink job does not come to its end: no counter has changed for "
                + JOB_END_PATIENCE.toSeconds()
                + " s");
      }
      show(counters);
    }
  }
}
