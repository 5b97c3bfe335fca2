// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import java.util.function.Consumer;

/** A rule's histograms in one subtask. Whoever opens it closes it; one thread. */
final class RuleAtWork implements AutoCloseable {
  /** Beyond, times are not those of packets, and their sums would not be numbers any more. */
  private static final long FARTHEST_NS = 1L << 62;

  private static final long MOST_SLOTS = 1 << 16;

  /** Intervals that may be open at the same time, where there are no prefixes. */
  private static final long USUAL_SLOTS = 8;

  /** As the newest rules have it: its topic may change while it counts. */
  HistogramRule rule;

  final AddressPrefix prefix;

  private final CountsCode code;
  private final Consumer<HistogramPart> parts;

  /** Null: histograms per flow are in the table of flows, or no room was given yet. */
  Partials partials;

  /** Intervals that began before have been told. */
  long openNs = Long.MIN_VALUE;

  private long currentEndNs = Long.MIN_VALUE;
  private long lastEndNs = Long.MIN_VALUE;
  private long askedVersion = Long.MIN_VALUE;

  RuleAtWork(HistogramRule rule, CountsCode code, Consumer<HistogramPart> parts) {
    this.rule = rule;
    this.code = code;
    this.parts = parts;
    prefix = new AddressPrefix(rule.options.per(), rule.options.prefixes());
  }

  /**
   * Room for partial sums of a rule that is not per flow; if it is other room than before, what was
   * summed up is told.
   *
   * @param bytes for them; two find room in any case
   */
  void giveRoom(long bytes) {
    int slots = slots(rule, bytes);
    if (partials == null || partials.slots() != slots) {
      end();
      partials = new Partials(rule, prefix, slots, code, parts);
    }
  }

  private static int slots(HistogramRule rule, long bytes) {
    long wanted = rule.options.per().isPrefix() ? MOST_SLOTS : USUAL_SLOTS;
    return (int) Math.clamp(bytes / rule.intervalBytes, Partials.LEAST_SLOTS, wanted);
  }

  /** End of the interval of a time; of one that has been told that of the first that is open. */
  long endOf(long timeNs) {
    long countsNs = Math.max(timeNs, openNs);
    if (countsNs >= currentEndNs || currentEndNs - countsNs > rule.intervalNs) {
      currentEndNs = rule.beginOf(countsNs) + rule.intervalNs;
      isOpenUntil(currentEndNs);
    }
    return currentEndNs;
  }

  /** Flows have counts of an interval with this end. */
  void isOpenUntil(long endNs) {
    lastEndNs = Math.max(lastEndNs, endNs);
  }

  /** A set of rules has this one, perhaps with another topic. */
  void goBy(HistogramRule asked, long version) {
    if (version >= askedVersion) {
      askedVersion = version;
      rule = asked;
      if (partials != null) {
        partials.goBy(asked);
      }
    }
  }

  /** The newest set of rules that has this one. */
  long askedVersion() {
    return askedVersion;
  }

  /** Whether all that flows have of it has been told by then. */
  boolean isDone(long nowNs) {
    return !rule.isPerFlow() || lastEndNs < nowNs;
  }

  void advance(long nowNs) {
    if (partials != null) {
      partials.tellEnded(nowNs);
    }
    openNs = rule.beginOf(Math.clamp(nowNs, -FARTHEST_NS, FARTHEST_NS));
  }

  /** Tells what was summed up, and closes; true. */
  boolean end() {
    if (partials != null) {
      partials.tellAll();
    }
    close();
    return true;
  }

  @Override
  public void close() {
    if (partials != null) {
      partials.close();
    }
  }
}
