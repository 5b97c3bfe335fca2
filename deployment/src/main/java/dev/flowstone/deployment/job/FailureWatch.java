// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import dev.flowstone.commandline.EscapedText;
import dev.flowstone.harness.LocalJob;
import dev.flowstone.monitoring.ClusterView;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.util.Optional;

/** Notices that Flink starts the job again, and says why: else only its log knew. */
final class FailureWatch {
  private final LocalJob job;
  private final ClusterView flink;
  private final RepeatedReason reasons = new RepeatedReason();
  private long knownRestarts;
  private boolean hadNoSlots;

  FailureWatch(LocalJob job, ClusterView flink) {
    this.job = job;
    this.flink = flink;
  }

  /**
   * A task that fails while it is taken down, as Kafka's writer does, ends its TaskManager. The
   * only one here is not started again: the job would wait for ever. One that is only late with a
   * heartbeat is there again when this is asked the next time.
   */
  void requireTaskManager() throws Exception {
    boolean hasNoSlots = knownRestarts > 0 && flink.slots().filter(slots -> slots == 0).isPresent();
    if (hasNoSlots && hadNoSlots) {
      throw new IOException(
          "Flink's TaskManager in this process has ended, because: "
              + why()
              + "; start the job again, it resumes from its latest checkpoint");
    }
    hadNoSlots = hasNoSlots;
  }

  /** Returns a line if Flink has restarted the job, unless the same reason repeats. */
  Optional<String> news() throws Exception {
    long restarts = JobMetrics.sum("numRestarts");
    if (restarts == knownRestarts) {
      return Optional.empty();
    }
    knownRestarts = restarts;
    JobMetrics.forgetGone();
    String why = why();
    return reasons.isNews(why)
        ? Optional.of("Flink has started it again (restart " + restarts + "), because: " + why)
        : Optional.empty();
  }

  private String why() throws Exception {
    return EscapedText.of(
        job.latestFailure().map(Reason::ofRoot).orElse("nobody knows why any more"));
  }
}
