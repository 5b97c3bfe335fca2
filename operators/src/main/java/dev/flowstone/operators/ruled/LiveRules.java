// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import dev.flowstone.rules.RuleSet;
import java.io.Serializable;
import java.util.Optional;

/** Rules of a job: those it was submitted with, and where others may come from while it runs. */
public final class LiveRules implements Serializable {
  private static final long serialVersionUID = 1L;

  private final RulesText submitted;
  private final RulesCheck check;

  /** Null: these rules stay. */
  private final RulesWatch watch;

  private LiveRules(RulesText submitted, RulesCheck check, RulesWatch watch) {
    this.submitted = submitted;
    this.check = check;
    this.watch = watch;
  }

  /**
   * Rules that stay.
   *
   * @param check what the job asks of rules
   * @throws IllegalArgumentException if these are not such
   */
  public static LiveRules fixed(RulesText submitted, RulesCheck check) {
    LiveRules rules = new LiveRules(submitted, check, null);
    rules.require(submitted);
    return rules;
  }

  /** The same to begin with, and others as they are written. */
  public LiveRules watching(RulesWatch where) {
    return new LiveRules(submitted, check, where);
  }

  /** Throws if a text is none of rules, or these are such as the job cannot do; says which. */
  void require(RulesText text) {
    RulesInForce rules = text.read();
    try {
      check.require(rules);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(text.place() + ": " + e.getMessage(), e);
    }
  }

  /** Those that the job begins with. */
  public RuleSet begin() {
    return submitted.read().rules();
  }

  /** Their text. */
  public RulesText submitted() {
    return submitted;
  }

  Optional<RulesWatch> watch() {
    return Optional.ofNullable(watch);
  }
}
