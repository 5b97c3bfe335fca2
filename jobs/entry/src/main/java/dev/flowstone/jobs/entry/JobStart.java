// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.entry;

import java.util.function.Consumer;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** How a job is about to be started, and the ear of whoever starts it. */
public final class JobStart {
  private final int parallelism;
  private final int maxParallelism;
  private final Consumer<String> listener;

  public JobStart(int parallelism, int maxParallelism, Consumer<String> listener) {
    this.parallelism = parallelism;
    this.maxParallelism = maxParallelism;
    this.listener = listener;
  }

  public static JobStart in(StreamExecutionEnvironment environment, Consumer<String> listener) {
    int parallelism = environment.getParallelism();
    int asked = environment.getMaxParallelism();
    // Where nobody asks, as Flink sets it.
    int maxParallelism =
        asked > 0 ? asked : KeyGroupRangeAssignment.computeDefaultMaxParallelism(parallelism);
    return new JobStart(parallelism, maxParallelism, listener);
  }

  public int parallelism() {
    return parallelism;
  }

  public int maxParallelism() {
    return maxParallelism;
  }

  /** One line. */
  public void say(String words) {
    listener.accept(words);
  }

  /** One line: the job starts all the same. */
  public void warn(String words) {
    say("warning: " + words);
  }
}
