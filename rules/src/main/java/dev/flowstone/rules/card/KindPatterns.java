// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.card;

import dev.flowstone.model.abi.PacketRecordLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** As few values under masks as there may be that mean some kinds of records and no others. */
final class KindPatterns {
  private static final int MASK = PacketRecordLayout.KIND_MASK;
  private static final Pattern ANY = new Pattern(0, 0);

  /** Bits of a kind, and those of them that are looked at. */
  record Pattern(int value, int mask) {
    boolean has(int kind) {
      return (kind & mask) == value;
    }
  }

  private KindPatterns() {}

  /**
   * @param wanted kinds that must be meant; not none
   * @param unwanted kinds that must not; what is neither never comes
   */
  static List<Pattern> of(Set<Integer> wanted, Set<Integer> unwanted) {
    if (unwanted.isEmpty()) {
      return List.of(ANY);
    }
    List<Pattern> allowed = new ArrayList<>();
    for (int mask = 0; mask <= MASK; mask++) {
      for (int value = 0; value <= MASK; value++) {
        Pattern pattern = new Pattern(value, mask);
        if ((value & ~mask) == 0 && unwanted.stream().noneMatch(pattern::has)) {
          allowed.add(pattern);
        }
      }
    }
    for (int most = 1; ; most++) {
      List<Pattern> chosen = new ArrayList<>();
      if (choose(wanted, allowed, most, chosen)) {
        return chosen;
      }
    }
  }

  /** Tries all ways to mean what is wanted with at most so many more. */
  private static boolean choose(
      Set<Integer> wanted, List<Pattern> allowed, int most, List<Pattern> chosen) {
    List<Integer> missing =
        wanted.stream().filter(kind -> chosen.stream().noneMatch(each -> each.has(kind))).toList();
    if (missing.isEmpty()) {
      return true;
    }
    if (most == 0) {
      return false;
    }
    for (Pattern pattern : allowed) {
      if (pattern.has(missing.getFirst())) {
        chosen.add(pattern);
        if (choose(wanted, allowed, most - 1, chosen)) {
          return true;
        }
        chosen.removeLast();
      }
    }
    return false;
  }
}
