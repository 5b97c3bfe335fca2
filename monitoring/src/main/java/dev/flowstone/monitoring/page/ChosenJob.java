// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import dev.flowstone.monitoring.ClusterView.Job;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Which of a cluster's jobs is shown: the one that is asked for, else the one at work, else the
 * latest that has ended. Of several at work it is the one that began first: queries come later.
 *
 * @param asked name, or how its id begins
 */
record ChosenJob(Optional<String> asked) {
  private static final Comparator<Job> BEGINNING = Comparator.comparingLong(Job::startMs);

  Optional<Job> of(List<Job> jobs) {
    List<Job> meant =
        jobs.stream().filter(job -> asked.map(words -> isCalled(job, words)).orElse(true)).toList();
    return meant.stream()
        .filter(Job::isAtWork)
        .min(BEGINNING)
        .or(() -> meant.stream().max(BEGINNING));
  }

  private static boolean isCalled(Job job, String words) {
    return job.name().equals(words) || job.id().startsWith(words);
  }
}
