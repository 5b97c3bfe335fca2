// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import dev.flowstone.monitoring.stats.Account;
import dev.flowstone.monitoring.stats.OperatorCounters;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The last two moments of which Flink told the counters. Flink asks its processes less often than
 * it is asked: what it says twice is one moment. One thread.
 */
final class StageMoments {
  /** So many of Flink's intervals without a newer moment, and nothing moves any more. */
  private static final int PATIENCE = 4;

  private static final double MS_PER_SECOND = 1e3;

  /** If nobody has looked for longer, what was seen then says nothing of how fast it is now. */
  static final long LONGEST_PAUSE_NS = 10_000_000_000L;

  /** What one look takes, and the wait for it; in a longer pause nobody saw that nothing moved. */
  private static final long LONGEST_LOOK_NS = 3_000_000_000L;

  /**
   * What had been counted.
   *
   * @param runningMs so long the job had run, by Flink's clock
   * @param restarts how often it had been started again: its counters began anew then
   */
  record Moment(long runningMs, long restarts, List<OperatorCounters> operators) {}

  private Optional<Moment> before = Optional.empty();
  private Moment now = new Moment(0, 0, List.of());
  private long lookedNs;

  /** So long somebody has looked and seen nothing new. */
  private long stillNs;

  void take(Moment next, long nowNs) {
    long pauseNs = nowNs - lookedNs;
    lookedNs = nowNs;
    if (pauseNs >= LONGEST_PAUSE_NS) {
      before = Optional.empty();
      stillNs = 0;
    }
    if (next.equals(now)) {
      stillNs += pauseNs > LONGEST_LOOK_NS ? 0 : pauseNs;
      return;
    }
    boolean goesOn =
        pauseNs < LONGEST_PAUSE_NS
            && next.restarts == now.restarts
            && next.runningMs > now.runningMs
            && now.runningMs > 0;
    before = goesOn ? Optional.of(now) : Optional.empty();
    now = next;
    stillNs = 0;
  }

  /**
   * Counters of no one moment: Flink had new ones while they were read. They are shown where
   * nothing better has been known for long, but no rate is made of them. If none has grown since
   * the last moment, none had by the begin of reading, and that is a moment, too.
   */
  void takeMixed(Moment mixed, long nowNs) {
    if (mixed.restarts == now.restarts && mixed.operators.equals(now.operators)) {
      take(mixed, nowNs);
    } else {
      showMixed(mixed, nowNs);
    }
  }

  private void showMixed(Moment mixed, long nowNs) {
    if (now.runningMs == 0 || nowNs - lookedNs >= LONGEST_PAUSE_NS) {
      before = Optional.empty();
      now = new Moment(0, mixed.restarts, mixed.operators);
    }
    stillNs = 0;
  }

  Moment now() {
    return now;
  }

  /** Empty: the counters have just begun. */
  Optional<Moment> before() {
    return before;
  }

  /**
   * Between the two; 0: nothing moves any more.
   *
   * @param interval of Flink's looks
   */
  double seconds(Duration interval) {
    if (before.isEmpty()) {
      return 1;
    }
    return stillNs > interval.multipliedBy(PATIENCE).toNanos()
        ? 0
        : (now.runningMs - before.get().runningMs) / MS_PER_SECOND;
  }

  /** How two counters that should be equal stand to each other. */
  enum Verdict {
    EQUAL,
    /** Packets are between the two. */
    ON_THE_WAY,
    APART
  }

  /** Of each pair of the account of now. */
  List<Verdict> verdicts(boolean isAtRest) {
    List<Account.Pair> pairs = new Account(now.operators).pairs();
    List<Account.Pair> earlier =
        before.map(moment -> new Account(moment.operators).pairs()).orElse(List.of());
    boolean comparable = earlier.size() == pairs.size();
    return IntStream.range(0, pairs.size())
        .mapToObj(
            i ->
                verdict(
                    comparable ? Optional.of(earlier.get(i)) : Optional.empty(),
                    pairs.get(i),
                    isAtRest))
        .toList();
  }

  private static Verdict verdict(
      Optional<Account.Pair> earlier, Account.Pair pair, boolean isAtRest) {
    if (pair.isEqual()) {
      return Verdict.EQUAL;
    }
    boolean mayBecome = earlier.map(first -> first.mayBecomeEqual(pair)).orElse(true);
    return mayBecome && !isAtRest ? Verdict.ON_THE_WAY : Verdict.APART;
  }
}
