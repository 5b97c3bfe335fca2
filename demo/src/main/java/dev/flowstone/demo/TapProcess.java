// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.processes.ChildEndedException;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.JavaProgram;
import dev.flowstone.tap.command.TapCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The tap as a process of its own, as on a real host. One thread; whoever starts it closes it. */
final class TapProcess implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration RINGS_LIMIT = Duration.ofSeconds(60);
  private static final Duration RINGS_POLL_INTERVAL = Duration.ofMillis(20);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(8);

  private static final String WARNING = "warning: ";

  private final ChildProcess process;
  private TapCounters counters = TapCounters.NONE;
  private int heardErrors;

  private TapProcess(ChildProcess process) {
    this.process = process;
  }

  /** Starts a tap; what goes wrong in it stands in a file in the folder. */
  static TapProcess start(TrafficOptions traffic, Path rings, Path folder) throws IOException {
    JavaProgram program =
        JavaProgram.of("tap", TapCommand.class.getName(), traffic.tapArguments(rings))
            .withJvmOptions(
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx96m",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                // Standard output is for counters alone.
                "-Xlog:disable",
                "-Xlog:all=warning:stderr");
    return new TapProcess(ChildProcess.start(program, ChildOutput.answeringBeside(folder)));
  }

  /** Returns when it has made its rings. */
  void awaitRings(RingDirectory rings, int ringCount) throws IOException, InterruptedException {
    long deadlineNs = System.nanoTime() + RINGS_LIMIT.toNanos();
    while (!RingView.isThere(rings, ringCount)) {
      if (process.awaitEnd(RINGS_POLL_INTERVAL)) {
        process.requireRunning();
      }
      if (System.nanoTime() - deadlineNs > 0) {
        throw new IOException(
            "the tap made no rings within " + RINGS_LIMIT.toSeconds() + " s; is the machine busy?");
      }
    }
  }

  /** Its counters now, or in the end when it has ended. */
  TapCounters ask() {
    try {
      process.input().write('\n');
      process.input().flush();
    } catch (IOException ended) {
      // Then its last word is still to be heard.
    }
    hear();
    return counters;
  }

  /** What it has warned of since it was last asked; what made it fail is told by its end. */
  List<String> newWarnings() throws IOException {
    String said = process.errors();
    int end = said.lastIndexOf('\n') + 1;
    List<String> warnings =
        said.substring(heardErrors, end).lines().filter(line -> line.startsWith(WARNING)).toList();
    heardErrors = end;
    return warnings;
  }

  /** One line; whether there was any. */
  private boolean hear() {
    try {
      String line = process.answers().readLine();
      // An answer to a late question may follow the last word.
      if (line != null && !counters.ended()) {
        counters = TapCounters.parse(JSON.readTree(line));
      }
      return line != null;
    } catch (JacksonException noCounters) {
      // A JVM that crashes says so here, too; why it ended is asked where its end is seen.
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException("the tap's counters cannot be read", e);
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Returns when it has ended, or after that time. */
  void awaitEnd(Duration limit) throws InterruptedException {
    process.awaitEnd(limit);
  }

  /** Has it end its rings and say its last counters; returns when it has. */
  void stop() {
    try {
      process.input().close();
    } catch (IOException gone) {
      // Then it needs no asking.
    }
    try {
      if (!process.awaitEnd(STOP_LIMIT)) {
        process.kill();
      }
      while (hear()) {
        // The last word counts.
      }
    } catch (InterruptedException e) {
      process.handle().destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  /** Throws with the tap's own words if it failed, or with what is known about its end. */
  void requireSuccess() throws ChildEndedException {
    process.requireNoFailure();
  }

  @Override
  public void close() {
    stop();
  }
}
