// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.run;

import dev.flowstone.commandline.Terminal;

/** A line on the terminal, refreshed twice a second. Silent where there is none. */
public final class TerminalLine implements AutoCloseable {
  private static final long REFRESH_MS = 500;

  /** What the line says. */
  public interface Text {
    String after(double seconds);
  }

  private final Text text;
  private final Thread thread =
      Thread.ofPlatform().name("tap-display").daemon().unstarted(this::run);
  private long startNs;

  public TerminalLine(Text text) {
    this.text = text;
  }

  public void start() {
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
    return text.after((System.nanoTime() - startNs) / 1e9);
  }

  @Override
  public void close() {
    thread.interrupt();
    if (Terminal.isAttached()) {
      System.err.println("\r" + line() + "\u001b[K");
    }
  }
}
