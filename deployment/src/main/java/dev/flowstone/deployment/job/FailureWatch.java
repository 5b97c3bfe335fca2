// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import dev.flowstone.commandline.EscapedText;
import dev.flowstone.deployment.cluster.ClusterView;
import dev.flowstone.harness.LocalJob;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.util.Optional;

/** Notices that Flink starts the job again, and says why: else only its log knew. */
final class FailureWatch {
  private final LocalJob job;
  private final ClusterView flink;
  private long knownRestarts;

  FailureWatch(LocalJob job, ClusterView flink) {
    this.job = job;
    this.flink = flink;
  }

  /**
   * A task that fails while it is taken down, as Kafka's writer does, ends its TaskManager. The
   * only one here is not started again: the job would wait for ever.
   */
  void requireTaskManager() throws Exception {
    if (knownRestarts > 0 && flink.answers() && flink.slots() == 0) {
      throw new IOException(
          "Flink's TaskManager in this process has ended, because: "
              + why()
              + "; start the job again, it goes on from its latest checkpoint");
    }
  }

  /** What is to be told since this was last asked. */
  Optional<String> news() throws Exception {
    long restarts = JobMetrics.sum("numRestarts");
    if (restarts == knownRestarts) {
      return Optional.empty();
    }
    knownRestarts = restarts;
    return Optional.of("Flink has started it again (restart " + restarts + "), because: " + why());
  }

  private String why() throws Exception {
    return EscapedText.of(
        job.latestFailure().map(Reason::ofRoot).orElse("nobody knows why any more"));
  }
}
