// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

/**
 * A topic that a job writes to.
 *
 * @param partitions that it should have at least; 0: nobody knows
 */
public record WantedTopic(String name, int partitions) {

  /**
   * A ring's packets have a partition of their own, so that they stay in order.
   *
   * @param rings 0: nobody knows
   */
  public static WantedTopic ofPackets(String name, int rings) {
    return new WantedTopic(name, rings);
  }

  /** Results are few, and in no order. */
  public static WantedTopic ofResults(String name) {
    return new WantedTopic(name, 1);
  }
}
