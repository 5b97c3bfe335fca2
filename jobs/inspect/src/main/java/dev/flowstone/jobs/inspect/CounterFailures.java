// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.JobID;

/**
 * What counters failed with, for whoever waits for their job in this process. Flink may name only
 * what followed: when the source's coordinator tells a task something in the moment in which it
 * fails, the job is said to have failed because a task was not running.
 */
final class CounterFailures {
  private static final Map<JobID, Throwable> FAILURES = new ConcurrentHashMap<>();

  private CounterFailures() {}

  /** The first one of a job counts. */
  static void note(JobID job, Throwable failure) {
    FAILURES.putIfAbsent(job, failure);
  }

  /** Of a job that has ended. */
  static Optional<Throwable> take(JobID job) {
    return Optional.ofNullable(FAILURES.remove(job));
  }
}
