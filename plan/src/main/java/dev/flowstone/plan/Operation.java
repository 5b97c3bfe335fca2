// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

/**
 * How a site is run.
 *
 * @param intervalSeconds from one checkpoint to the next
 * @param restartSeconds from a failure until packets are read again
 * @param busy the part of a core's time that may be used while nothing is wrong
 * @param retentionSeconds for which Kafka keeps messages
 * @param replicas of each message
 */
record Operation(
    double intervalSeconds,
    double restartSeconds,
    Delivery delivery,
    Release release,
    double busy,
    double retentionSeconds,
    int replicas) {

  /** How messages come to Kafka; both take as much of a processor. */
  enum Delivery {
    EXACTLY_ONCE("exactly-once"),
    AT_LEAST_ONCE("at-least-once");

    private final String text;

    Delivery(String text) {
      this.text = text;
    }

    /** As the jobs' option has it. */
    @Override
    public String toString() {
      return text;
    }
  }

  /** When a job gives ring space back. */
  enum Release {
    ON_CHECKPOINT,
    ON_READ,
    OBSERVING
  }
}
