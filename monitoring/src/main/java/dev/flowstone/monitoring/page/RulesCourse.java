// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import dev.flowstone.monitoring.stats.JobCounters.RulesNews;
import dev.flowstone.rules.RuleWords;
import java.util.List;
import java.util.OptionalLong;

/**
 * What became of changes to one job's rules, as far as their version and the counts of those that
 * wait and were refused tell. The counts have no times: of what came between two looks, or before
 * the first, the order is not known. Any thread.
 */
final class RulesCourse {
  /** Whether a job goes by what stands in its rules file. */
  enum Standing {
    IN_FORCE,
    /** It does when it has what it waits for. */
    WAITS,
    REFUSED,
    /** The counts do not tell. */
    UNTOLD
  }

  /**
   * What is known without the file.
   *
   * @param refusedSince the version in force came; null: how many of the refused these are is not
   *     known
   */
  record View(long version, long waiting, long refused, Long refusedSince) {}

  private RulesNews now = new RulesNews(0, 0, 0);

  /** How many had been refused when the version came; empty: not known. */
  private OptionalLong refusedBefore = OptionalLong.empty();

  /** What stood in the file when that version was seen to be in force. */
  private List<RuleWords> inForce = List.of();

  private long inForceVersion;

  /** The newest; returns what was known before. */
  synchronized RulesNews take(RulesNews next) {
    RulesNews before = now;
    // Another JobManager counts anew.
    boolean beginsAnew = next.refused() < before.refused();
    if (next.version() != before.version() || beginsAnew) {
      long knownRefused = beginsAnew ? 0 : before.refused();
      refusedBefore =
          next.refused() == knownRefused ? OptionalLong.of(next.refused()) : OptionalLong.empty();
    } else if (next.refused() > before.refused() && refusedBefore.isEmpty()) {
      refusedBefore = OptionalLong.of(before.refused());
    }
    now = next;
    return before;
  }

  synchronized View view() {
    return new View(now.version(), now.waiting(), now.refused(), refusedSince());
  }

  private Long refusedSince() {
    return refusedBefore.isPresent() ? now.refused() - refusedBefore.getAsLong() : null;
  }

  /**
   * Of what stands in the file now. Where it has changed and no count has, the job has not told yet
   * what it makes of it, or looks at another file.
   */
  synchronized Standing of(List<RuleWords> file) {
    Standing latest = latest();
    if (latest != Standing.IN_FORCE) {
      return latest;
    }
    if (inForceVersion != now.version()) {
      inForceVersion = now.version();
      inForce = file;
    }
    return file.equals(inForce) ? Standing.IN_FORCE : Standing.UNTOLD;
  }

  /** Of the change that came last. */
  private Standing latest() {
    if (now.waiting() > 0) {
      return Standing.WAITS;
    }
    if (now.version() == 0 || refusedBefore.isEmpty()) {
      return Standing.UNTOLD;
    }
    return now.refused() > refusedBefore.getAsLong() ? Standing.REFUSED : Standing.IN_FORCE;
  }
}
