// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.source;

import dev.flowstone.tap.command.run.TerminalLine;
import java.util.Locale;

/** What a tap's line on the terminal says: progress, rate, drops. */
record TapDisplay(RunningTap tap) implements TerminalLine.Text {
  private static final int BAR_CELLS = 24;

  @Override
  public String after(double seconds) {
    TapReport report = tap.report();
    return String.format(
        Locale.ROOT,
        "%s %,d packets, %,.0f /s, %,d dropped",
        bar(tap.sources().progress()),
        report.offeredPackets(),
        report.offeredPackets() / seconds,
        report.droppedPackets());
  }

  private static String bar(double progress) {
    if (Double.isNaN(progress)) {
      return "";
    }
    int full = (int) Math.round(progress * BAR_CELLS);
    return "["
        + "#".repeat(full)
        + " ".repeat(BAR_CELLS - full)
        + "]"
        + String.format(Locale.ROOT, " %3.0f %%", progress * 100);
  }
}
