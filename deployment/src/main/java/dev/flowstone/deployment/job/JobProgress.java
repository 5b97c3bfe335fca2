// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import dev.flowstone.commandline.Terminal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Shows how far the job is and why it is not healthy: over itself each second on a terminal, else a
 * line every ten seconds. Flink's counters restart at zero when it restarts the job.
 */
final class JobProgress {
  private static final Duration LINE_INTERVAL = Duration.ofSeconds(10);
  private static final String START_OF_LINE = "\r\u001b[K";

  /** Of the source, for each ring. */
  private static final String PACKETS = "packetsConsumed";

  private final boolean terminal = Terminal.isAttached();
  private final JobHealth health;
  private long saidNs = System.nanoTime();
  private long lookedNs = saidNs;
  private long lookedPackets;
  private boolean drawn;

  /**
   * Nothing is known of the job yet.
   *
   * @param checkpointInterval empty: it makes no checkpoints
   */
  JobProgress(Optional<Duration> checkpointInterval) {
    health = new JobHealth(checkpointInterval);
  }

  /** To be called about once a second. */
  void look() {
    long nowNs = System.nanoTime();
    if (terminal) {
      System.out.print(START_OF_LINE + line(nowNs));
      System.out.flush();
      drawn = true;
    } else if (nowNs - saidNs >= LINE_INTERVAL.toNanos()) {
      saidNs = nowNs;
      System.out.println(line(nowNs));
    }
  }

  /** How it stands now, with a rate since this was asked last. */
  String line(long nowNs) {
    health.begin(nowNs);
    if (JobMetrics.count(PACKETS) == 0) {
      return "waiting for rings: no tap is running, or tasks are still starting";
    }
    long packets = JobMetrics.sum(PACKETS);
    double seconds = (nowNs - lookedNs) / 1e9;
    double rate = Math.max(0, packets - lookedPackets) / seconds;
    lookedNs = nowNs;
    lookedPackets = packets;
    return String.format(
            Locale.ROOT,
            "%s  waiting %,d  %,.0f/s",
            counters(),
            JobMetrics.sum("backlogSlots"),
            rate)
        + sinceFull(JobMetrics.sum("packetsUntold"))
        + problems(nowNs);
  }

  private String problems(long nowNs) {
    List<String> problems = health.at(nowNs).problems();
    return problems.isEmpty() ? "" : "  NOT HEALTHY: " + String.join("; ", problems);
  }

  /** Who holds a ring's space may be another job, one that has stopped for example. */
  private static String sinceFull(long packets) {
    return packets == 0
        ? ""
        : String.format(
            Locale.ROOT,
            "  a ring is full: %,d dropped since (./flowstone stats RINGS says who holds it)",
            packets);
  }

  private static String counters() {
    return String.format(
        Locale.ROOT,
        "read %,d packets%s  lost %,d in rings, %,d before the tap  checkpoints %,d",
        JobMetrics.sum(PACKETS),
        beforeStart(JobMetrics.sum("packetsBeforeStart")),
        JobMetrics.sum("packetsLost"),
        JobMetrics.sum("packetsLostBeforeTap"),
        JobMetrics.sum("numberOfCompletedCheckpoints"));
  }

  /** Of rings that were written over before this run, which goes on from no checkpoint, began. */
  private static String beforeStart(long packets) {
    return packets == 0
        ? ""
        : String.format(Locale.ROOT, ", after %,d before this job began", packets);
  }

  /** Something that is to stay. */
  void say(String words) {
    System.out.println((drawn ? START_OF_LINE : "") + words);
    drawn = false;
  }

  /** The counters in the end. */
  void finish() {
    say(counters());
  }
}
