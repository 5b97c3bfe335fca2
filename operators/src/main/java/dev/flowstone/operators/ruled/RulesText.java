// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.yaml.RulesYaml;
import java.io.Serializable;

/**
 * Rules as they travel: the text that somebody wrote, which was read once and found good.
 *
 * @param place what to call it where something is wrong
 */
public record RulesText(long version, String place, String text) implements Serializable {
  /** The text of these rules. */
  public static RulesText of(RuleSet rules) {
    return new RulesText(0, "rules", RulesYaml.write(rules));
  }

  public RulesInForce read() {
    return RulesInForce.of(this, RulesYaml.read(text.getBytes(UTF_8), place));
  }
}
