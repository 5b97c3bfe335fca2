// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.stats;

import dev.flowstone.commandline.EscapedText;
import dev.flowstone.monitoring.ClusterView;
import dev.flowstone.monitoring.ClusterView.Job;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Which job of a cluster is meant. */
final class RunningJob {
  private RunningJob() {}

  /**
   * The one that is asked for, or the only one at work.
   *
   * @throws IOException if nobody answers, there is none, or there are several; with their names
   */
  static Job find(ClusterView cluster, Optional<String> asked)
      throws IOException, InterruptedException {
    List<Job> atWork =
        cluster
            .jobs()
            .orElseThrow(
                () ->
                    new IOException(
                        "no Flink answers at " + cluster.address() + ": name one with --flink URL"))
            .stream()
            .filter(Job::isAtWork)
            .toList();
    return choose(atWork, asked, cluster.address());
  }

  static Job choose(List<Job> atWork, Optional<String> asked, String address) throws IOException {
    if (atWork.isEmpty()) {
      throw new IOException("no job runs at " + address);
    }
    List<Job> meant =
        atWork.stream()
            .filter(job -> asked.map(words -> isCalled(job, words)).orElse(true))
            .toList();
    if (meant.size() == 1) {
      return meant.getFirst();
    }
    String others =
        (meant.isEmpty() ? atWork : meant)
            .stream().map(RunningJob::words).collect(Collectors.joining(", "));
    throw new IOException(
        meant.isEmpty()
            ? "no job %s runs at %s, but %s".formatted(asked.orElse(""), address, others)
            : "several jobs run at %s: choose with --job one of %s".formatted(address, others));
  }

  private static boolean isCalled(Job job, String words) {
    return job.name().equals(words) || job.id().startsWith(words);
  }

  private static String words(Job job) {
    return job.id() + " (" + EscapedText.of(job.name()) + ")";
  }
}
