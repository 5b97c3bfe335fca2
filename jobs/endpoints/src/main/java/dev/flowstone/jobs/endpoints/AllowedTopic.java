// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import dev.flowstone.rules.Rule;

/** Which names of topics an option takes. */
public final class AllowedTopic {
  private AllowedTopic() {}

  /** Throws, by the name of the option, for what Kafka would not take. */
  public static void require(String option, String topic) {
    try {
      Rule.requireTopic(topic);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(option + ": " + e.getMessage(), e);
    }
  }
}
