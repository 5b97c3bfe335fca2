// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import dev.flowstone.operators.ruled.RulesWatch.WrittenRules;
import dev.flowstone.rules.RuleSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Rules that were written and are neither in force nor refused yet, the newest last. Each is read
 * once, however long it waits: to find out whether rules are good may run code of the user's. One
 * thread, but for {@link #count}.
 */
final class WaitingRules {
  /** Of more the oldest are given up. */
  static final int MOST = 32;

  /** What was read, and what it says. */
  record Good(RulesText text, RuleSet rules) {}

  interface Judge {
    /** Empty: refused. */
    Optional<Good> read(WrittenRules written);

    /**
     * Puts rules in force if nothing that they need is missing; whether it did.
     *
     * @throws IOException if that cannot be known now
     */
    boolean takes(Good rules) throws IOException, InterruptedException;
  }

  private record Waiting(WrittenRules written, Optional<Good> good) {}

  private final List<Waiting> waiting = new ArrayList<>();
  private volatile int count;

  /**
   * What stood at the same place before is there no more.
   *
   * @return for whom there is no room
   */
  List<WrittenRules> add(List<WrittenRules> written) {
    for (WrittenRules each : written) {
      waiting.removeIf(former -> former.written().place().equals(each.place()));
      waiting.add(new Waiting(each, Optional.empty()));
    }
    List<Waiting> tooMany = waiting.subList(0, Math.max(0, waiting.size() - MOST));
    List<WrittenRules> givenUp = tooMany.stream().map(Waiting::written).toList();
    tooMany.clear();
    count = waiting.size();
    return givenUp;
  }

  /**
   * The newest that may be is in force then; what is older than that is forgotten.
   *
   * @throws IOException if of some it could not be known whether they may; older ones were judged
   *     all the same
   */
  void judge(Judge judge) throws IOException, InterruptedException {
    IOException unknown = null;
    try {
      for (int i = waiting.size() - 1; i >= 0; i--) {
        Optional<Good> good = good(i, judge);
        try {
          if (good.isEmpty()) {
            waiting.remove(i);
          } else if (judge.takes(good.get())) {
            waiting.subList(0, i + 1).clear();
            break;
          }
        } catch (IOException e) {
          unknown = unknown == null ? e : unknown;
        }
      }
    } finally {
      count = waiting.size();
    }
    if (unknown != null) {
      throw unknown;
    }
  }

  private Optional<Good> good(int index, Judge judge) {
    Waiting each = waiting.get(index);
    if (each.good().isPresent()) {
      return each.good();
    }
    Optional<Good> read = judge.read(each.written());
    waiting.set(index, new Waiting(each.written(), read));
    return read;
  }

  void clear() {
    waiting.clear();
    count = 0;
  }

  int count() {
    return count;
  }
}
