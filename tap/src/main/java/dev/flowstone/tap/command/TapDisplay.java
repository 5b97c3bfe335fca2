// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import dev.flowstone.commandline.Terminal;
import java.util.Locale;

/** A line on the terminal, refreshed twice a second: progress, rate, drops. Silent elsewhere. */
final class TapDisplay implements AutoCloseable {
  private static final int BAR_CELLS = 24;
  private static final long REFRESH_MS = 500;

  private final RunningTap tap;
  private final Thread thread =
      Thread.ofPlatform().name("tap-display").daemon().unstarted(this::run);
  private long startNs;

  TapDisplay(RunningTap tap) {
    this.tap = tap;
  }

  void start() {
    startNs = System.nanoTime();
    if (Terminal.isAttached()) {
      thread.start();
    }
  }

  private void run() {
    try {
      while (true) {
        Thread.sleep(REFRESH_MS);
        System.err.print("\r" + line() + "\u001b[K");
      }
    } catch (InterruptedException closed) {
      // The last line is close()'s.
    }
  }

  private String line() {
    double seconds = (System.nanoTime() - startNs) / 1e9;
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

  @Override
  public void close() {
    thread.interrupt();
    if (Terminal.isAttached()) {
      System.err.println("\r" + line() + "\u001b[K");
    }
  }
}
