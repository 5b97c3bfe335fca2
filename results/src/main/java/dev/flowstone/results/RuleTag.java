// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.results;

import java.io.Serializable;

/**
 * The rule that a result is of: what readers need of it.
 *
 * @param topic where its results go; {@link #NO_TOPIC}: where the job's go
 * @param flowId the number that the rule's author gave it, or {@link #NO_FLOW_ID}
 */
public record RuleTag(String name, String topic, long flowId) implements Serializable {
  public static final String NO_TOPIC = "";
  public static final long NO_FLOW_ID = -1;

  /** Of a rule that says nothing about its results. */
  public static RuleTag of(String name) {
    return new RuleTag(name, NO_TOPIC, NO_FLOW_ID);
  }

  public boolean hasTopic() {
    return !topic.equals(NO_TOPIC);
  }

  public boolean hasFlowId() {
    return flowId != NO_FLOW_ID;
  }
}
