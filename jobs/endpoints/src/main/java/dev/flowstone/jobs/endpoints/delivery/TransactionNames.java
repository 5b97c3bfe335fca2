// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import java.io.Serializable;
import java.security.SecureRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How the names of a sink's transactions begin: with a prefix that all runs of the job have, and a
 * part that each submission draws. Kafka's sink adds the subtask, and the number of the checkpoint
 * that the transaction is part of. A run without a checkpoint thus meets no name of former runs:
 * Kafka's sink would ask the broker about every one of them.
 *
 * @param ofJob the prefix of all runs of this sink, and of no other sink
 */
public record TransactionNames(String ofJob, String run) implements Serializable {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int RADIX = 36;
  private static final int RUN_LENGTH = 10;
  private static final long RUNS = (long) Math.pow(RADIX, RUN_LENGTH);

  /** The names of a run that is about to be submitted. */
  public static TransactionNames ofNewRun(String ofJob) {
    String drawn = Long.toString(RANDOM.nextLong(RUNS), RADIX);
    return new TransactionNames(ofJob, "0".repeat(RUN_LENGTH - drawn.length()) + drawn);
  }

  /** What Kafka's sink is given. */
  public String prefix() {
    return ofJob + "-run" + run;
  }

  /**
   * Whether another run of this sink began a transaction after a checkpoint. Names of former
   * releases have no part for the run.
   *
   * @param checkpoint 0: whenever it began
   */
  boolean isOfAnotherRunAfter(String transaction, long checkpoint) {
    Matcher ofAnyRun =
        Pattern.compile(
                Pattern.quote(ofJob) + "(-run[0-9a-z]{" + RUN_LENGTH + "})?-[0-9]+-([0-9]{1,18})")
            .matcher(transaction);
    return ofAnyRun.matches()
        && !transaction.startsWith(prefix() + "-")
        && Long.parseLong(ofAnyRun.group(2)) > checkpoint;
  }
}
