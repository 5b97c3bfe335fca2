// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Reports on standard error which step of how many is measured, and the time left. A terminal shows
 * one more line, which counts the seconds. Standard output is for the result alone.
 *
 * <p>The time left is the length of the remaining steps, times the ratio of the time that the steps
 * so far took to their length. Until the first step has ended, it is a lower bound.
 */
final class Progress implements AutoCloseable {
  private static final long NS_PER_S = 1_000_000_000;
  private static final Duration TICK = Duration.ofSeconds(1);
  private static final String ERASE_LINE = "\r\033[K";
  private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");

  /** Between benchmarks. */
  private static final Progress IDLE =
      new Progress("bench", Steps.NONE, System.err, false, System::nanoTime);

  private static volatile Progress current = IDLE;

  private final String name;
  private final Steps planned;
  private final PrintStream out;
  private final boolean isTerminal;
  private final LongSupplier clockNs;
  private final long startNs;
  private int step;
  private long stepStartNs;
  private long stepLengthNs;
  private long doneNs;
  private boolean isClosed;

  Progress(String name, Steps planned, PrintStream out, boolean isTerminal, LongSupplier clockNs) {
    this.name = name;
    this.planned = planned;
    this.out = out;
    this.isTerminal = isTerminal;
    this.clockNs = clockNs;
    startNs = clockNs.getAsLong();
    stepStartNs = startNs;
  }

  /** Reports a benchmark from now on; whoever begins it closes it. */
  static Progress begin(String name, Steps planned) {
    Progress progress =
        new Progress("bench " + name, planned, System.err, isErrorTerminal(), System::nanoTime);
    current = progress;
    if (progress.isTerminal) {
      Thread.ofPlatform().name("bench-progress").daemon().start(progress::tickUntilClosed);
    }
    return progress;
  }

  /** Reports a preparation. */
  static void say(String what) {
    current.print(what);
  }

  /** Reports that the next measurement begins. */
  static void step(String what, BenchScale scale) {
    current.startStep(what, scale.length());
  }

  /** Reports that a measurement begins whose time is unknown. */
  static void step(String what) {
    current.startStep(what, Duration.ZERO);
  }

  synchronized void startStep(String what, Duration length) {
    endStep();
    step++;
    stepStartNs = clockNs.getAsLong();
    stepLengthNs = length.toNanos();
    print("step %d of %d: %s; %s".formatted(step, planned.count(), what, timeLeft()));
  }

  private void endStep() {
    doneNs += stepLengthNs;
    stepLengthNs = 0;
  }

  /** Returns how many steps have begun. */
  synchronized int steps() {
    return step;
  }

  synchronized void print(String what) {
    out.println((isTerminal ? ERASE_LINE : "") + name + ": " + what);
  }

  /** Rewrites the line that counts the seconds of a step. */
  synchronized void tick() {
    if (!isClosed) {
      long seconds = (clockNs.getAsLong() - stepStartNs) / NS_PER_S;
      out.print("%s%s: %d s; %s".formatted(ERASE_LINE, name, seconds, timeLeft()));
      out.flush();
    }
  }

  private void tickUntilClosed() {
    while (!isClosed()) {
      Windows.await(TICK);
      tick();
    }
  }

  private synchronized boolean isClosed() {
    return isClosed;
  }

  private String timeLeft() {
    long nowNs = clockNs.getAsLong();
    long inStepNs = Math.min(nowNs - stepStartNs, stepLengthNs);
    long leftNs = Math.max(0, planned.length().toNanos() - doneNs - inStepNs);
    return doneNs == 0
        ? "at least %s left".formatted(text(leftNs))
        : "about %s left".formatted(text(stretched(leftNs)));
  }

  /** Preparation takes time, too, and the steps to come have theirs. */
  private long stretched(long leftNs) {
    double spentNs = stepStartNs - startNs;
    return (long) (leftNs * Math.max(1, spentNs / doneNs));
  }

  private static String text(long ns) {
    long seconds = Math.round((double) ns / NS_PER_S);
    return seconds < 100 ? seconds + " s" : Math.round(seconds / 60.0) + " min";
  }

  private static boolean isErrorTerminal() {
    try {
      String device = Files.readSymbolicLink(STANDARD_ERROR).toString();
      return device.startsWith("/dev/pts/") || device.startsWith("/dev/tty");
    } catch (IOException unreadable) {
      return false;
    }
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    current = IDLE;
    print("ended after " + text(clockNs.getAsLong() - startNs));
  }
}
