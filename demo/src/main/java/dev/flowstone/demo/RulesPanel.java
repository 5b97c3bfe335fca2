// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.rules.Rule;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The rules in force, each with what it does and how many packets it gets. One thread. */
final class RulesPanel {
  private static final int NAME = 14;
  private static final int FUNCTION = 9;
  private static final int RATE = 9;

  /** Of a line. */
  static final int WIDTH = NAME + 1 + FUNCTION + 1 + RATE;

  private final Path file;
  private final Rates rates = new Rates(System.nanoTime());
  private List<Rule> rules = List.of();
  private long version;
  private List<String> lines = List.of();

  RulesPanel(Path file) {
    this.file = file;
  }

  void refresh(FunctionCounters counters, long nowNs) {
    readIfChanged(counters.rules().version());
    rates.look(nowNs);
    List<String> drawn = new ArrayList<>();
    drawn.add(title(counters.rules()));
    for (Rule rule : rules) {
      long packets = counters.packetsOfRule().getOrDefault(rule.name(), 0L);
      drawn.add(
          String.format(
              Locale.ROOT,
              "%-14s %-9s %9s",
              shortened(rule.name()),
              rule.function().name(),
              TableLayout.number(rates.of(rule.name(), packets))));
    }
    lines = drawn;
  }

  /** Those that are good: what the job has put in force it has read there a moment ago. */
  private void readIfChanged(long inForce) {
    if (inForce != version) {
      version = inForce;
      try {
        rules = DemoRules.read(file).rules();
      } catch (RuntimeException changedMeanwhile) {
        // Then another version comes, or this one is refused and told as such.
        version = 0;
      }
    }
  }

  private static String title(FunctionCounters.RulesState state) {
    String name = state.version() > 1 ? "rules, version " + state.version() : "rules";
    return state.refused() == 0
        ? String.format(Locale.ROOT, "%-24s %9s", name, "packets/s")
        : name + ", " + state.refused() + " refused";
  }

  private static String shortened(String name) {
    return name.length() <= NAME ? name : name.substring(0, NAME - 1) + "~";
  }

  /** Its title first. */
  List<String> lines() {
    return lines;
  }
}
