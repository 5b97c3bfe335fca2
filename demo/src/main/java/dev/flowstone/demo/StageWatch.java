// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.commandline.EscapedText;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Shows the stages' counters while packets flow. One thread. */
final class StageWatch {
  private static final Duration REFRESH = Duration.ofSeconds(1);
  private static final Duration FIRST_PACKET_POLL = Duration.ofMillis(50);
  private static final Duration JOB_END_LIMIT = Duration.ofSeconds(60);

  private final Stages stages;
  private final StageTable table;

  StageWatch(Stages stages, StageTable table) {
    this.stages = stages;
    this.table = table;
  }

  /** Until the traffic ends or is to be stopped; how many seconds there was any. */
  double showTraffic(StopSignals signals) throws Exception {
    long trafficStartNs = System.nanoTime();
    FirstPacket first = new FirstPacket(trafficStartNs);
    boolean traffic = false;
    while (stages.tap().isAlive() && !signals.isStopping() && stages.flink().isRunning()) {
      stages.tap().awaitEnd(traffic ? REFRESH : FIRST_PACKET_POLL);
      stages.requireBroker();
      passOnWarnings();
      DemoCounters counters = stages.counters();
      if (!traffic && counters.offered() == 0) {
        trafficStartNs = System.nanoTime();
        first.words(trafficStartNs).ifPresent(System.out::println);
        continue;
      }
      traffic = true;
      table.refresh(counters.stages());
    }
    return (System.nanoTime() - trafficStartNs) / 1e9;
  }

  private void passOnWarnings() throws IOException {
    List<String> warnings = stages.tap().newWarnings();
    if (!warnings.isEmpty()) {
      table.makeWay();
      warnings.forEach(warning -> System.err.println(EscapedText.of(warning)));
    }
  }

  /** Until what is under way has arrived. */
  void showTheRest() throws Exception {
    passOnWarnings();
    long deadlineNs = System.nanoTime() + JOB_END_LIMIT.toNanos();
    while (!stages.flink().awaitEnd(REFRESH)) {
      stages.requireBroker();
      if (System.nanoTime() - deadlineNs > 0) {
        throw new IOException(
            "the Flink job did not come to its end within " + JOB_END_LIMIT.toSeconds() + " s");
      }
      table.refresh(stages.counters().stages());
    }
  }
}
