// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.entry;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A job that is told by options what to do: picocli fills the fields of the class that implements
 * this, and its {@code @Command} has the name by which users ask for the job.
 */
public interface CommandLineJob {

  /** What this run of the job is called, in Flink and wherever else it must be told from others. */
  String name();

  /**
   * Refuses what can be known to fail before anything is started, and says what will surprise.
   *
   * @throws IllegalArgumentException if the options make no sense; the message is one line for
   *     whoever chose them
   * @throws IllegalStateException if something else is in the way
   */
  void check(JobStart start) throws InterruptedException;

  /**
   * Adds the job to an environment, ready to be executed.
   *
   * @throws IllegalArgumentException if options and environment do not fit
   */
  void build(StreamExecutionEnvironment environment);
}
