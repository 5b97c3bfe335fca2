// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import dev.flowstone.rules.Rule;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.RulesFileException;
import java.io.Serializable;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Rules of a job: those it was submitted with, and where others may come from while it runs. */
public final class LiveRules implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(LiveRules.class);

  private final RulesText submitted;
  private final RulesCheck check;

  /** Null: these rules stay. */
  private final RulesWatch watch;

  /** Null as well: others need nothing. */
  private final RulesNeeds needs;

  private LiveRules(RulesText submitted, RulesCheck check, RulesWatch watch, RulesNeeds needs) {
    this.submitted = submitted;
    this.check = check;
    this.watch = watch;
    this.needs = needs;
  }

  /**
   * Rules that stay.
   *
   * @param check what the job asks of rules
   * @throws IllegalArgumentException if these are not such
   */
  public static LiveRules fixed(RulesText submitted, RulesCheck check) {
    LiveRules rules = new LiveRules(submitted, check, null, null);
    rules.require(submitted);
    return rules;
  }

  /**
   * The same, of which more is asked.
   *
   * @throws IllegalArgumentException if those to begin with are not such
   */
  public LiveRules requiring(RulesCheck more) {
    LiveRules rules = new LiveRules(submitted, check.and(more), watch, needs);
    rules.require(submitted);
    return rules;
  }

  /** The same to begin with, and others as they are written. */
  public LiveRules watching(RulesWatch where) {
    return new LiveRules(submitted, check, where, needs);
  }

  /** The same, of which others count when what they need is there. */
  public LiveRules needing(RulesNeeds others) {
    return new LiveRules(submitted, check, watch, others);
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

  /**
   * Whether the job can do what a checkpoint says is in force: it may have been submitted again
   * with less room or other keys.
   */
  boolean canDo(RulesText saved) {
    try {
      require(saved);
      return true;
    } catch (RulesFileException | IllegalArgumentException e) {
      LOG.warn(
          "rules of the checkpoint, version {}, are refused, and those that the job was submitted"
              + " with count: {}",
          saved.version(),
          e.getMessage());
      return false;
    }
  }

  /** Those that the job begins with. */
  public RuleSet begin() {
    return submitted.read().rules();
  }

  /** What these name as topics. */
  public Stream<String> topics() {
    return begin().rules().stream().map(Rule::topic).flatMap(Optional::stream);
  }

  RulesText submitted() {
    return submitted;
  }

  Optional<RulesWatch> watch() {
    return Optional.ofNullable(watch);
  }

  Optional<RulesNeeds> needs() {
    return Optional.ofNullable(needs);
  }
}
