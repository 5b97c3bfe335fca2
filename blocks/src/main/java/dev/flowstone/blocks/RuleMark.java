// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.blocks;

/**
 * The rule that chose packets, as far as their readers need it.
 *
 * @param number its place among the rules in force, 1 for the first one that is asked; 0: no rule
 * @param name stays when the place changes; empty: no rule
 * @param topic where its packets go; empty: where the job's go
 */
public record RuleMark(int number, String name, String topic) {
  public static final RuleMark NONE = new RuleMark(0, "", "");

  public boolean isNone() {
    return number == 0;
  }

  public String topicOr(String usualTopic) {
    return topic.isEmpty() ? usualTopic : topic;
  }
}
