// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;

/**
 * Hears the counters that a tap tells, a line each, in a thread of its own that ends with the tap:
 * so nobody has to wait for a tap that hangs.
 */
final class TapAnswers {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final BufferedReader lines;
  private final Thread thread =
      Thread.ofPlatform().daemon().name("tap-answers").unstarted(this::run);
  private TapCounters latest = TapCounters.NONE;
  private long count;
  private boolean over;

  private TapAnswers(BufferedReader lines) {
    this.lines = lines;
  }

  static TapAnswers hear(BufferedReader lines) {
    TapAnswers answers = new TapAnswers(lines);
    answers.thread.start();
    return answers;
  }

  private void run() {
    try {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        take(line);
      }
    } catch (IOException gone) {
      // As good as its end; why it ended is asked where that is seen.
    } finally {
      end();
    }
  }

  private synchronized void take(String line) {
    try {
      // An answer to a late question may follow the last word.
      if (!latest.ended()) {
        latest = TapCounters.parse(JSON.readTree(line));
      }
    } catch (JacksonException | IllegalArgumentException noCounters) {
      // A JVM that crashes says so here, too.
    }
    count++;
    notifyAll();
  }

  private synchronized void end() {
    over = true;
    notifyAll();
  }

  /** How many there were. */
  synchronized long count() {
    return count;
  }

  synchronized TapCounters latest() {
    return latest;
  }

  /** Returns when there are more than so many, or no more will come; false: not in time. */
  synchronized boolean awaitMoreThan(long earlier, Duration limit) throws InterruptedException {
    long deadlineNs = System.nanoTime() + limit.toNanos();
    while (count <= earlier && !over) {
      long leftMs = (deadlineNs - System.nanoTime()) / 1_000_000;
      if (leftMs <= 0) {
        return false;
      }
      wait(leftMs);
    }
    return true;
  }

  /** Returns when the last word is heard, or after that time. */
  void awaitEnd(Duration limit) throws InterruptedException {
    thread.join(limit);
  }
}
