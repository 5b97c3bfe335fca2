// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import dev.flowstone.operators.ruled.RulesWatch.WrittenRules;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Rules that were written and are neither in force nor refused yet, the newest last. One thread,
 * but for {@link #count}.
 */
final class WaitingRules {
  /** Of more the oldest are forgotten. */
  static final int MOST = 32;

  enum Fate {
    IN_FORCE,
    REFUSED,
    WAITS
  }

  @FunctionalInterface
  interface Judge {
    Fate judge(WrittenRules written) throws IOException, InterruptedException;
  }

  private final List<WrittenRules> waiting = new ArrayList<>();
  private volatile int count;

  /** What stood at the same place before is there no more. */
  void add(List<WrittenRules> written) {
    for (WrittenRules each : written) {
      waiting.removeIf(former -> former.place().equals(each.place()));
      waiting.add(each);
    }
    waiting.subList(0, Math.max(0, waiting.size() - MOST)).clear();
    count = waiting.size();
  }

  /** The newest that may be is in force then; what is older than that is forgotten. */
  void judge(Judge judge) throws IOException, InterruptedException {
    try {
      for (int i = waiting.size() - 1; i >= 0; i--) {
        switch (judge.judge(waiting.get(i))) {
          case IN_FORCE -> {
            waiting.subList(0, i + 1).clear();
            return;
          }
          case REFUSED -> waiting.remove(i);
          case WAITS -> {}
        }
      }
    } finally {
      count = waiting.size();
    }
  }

  void clear() {
    waiting.clear();
    count = 0;
  }

  int count() {
    return count;
  }
}
