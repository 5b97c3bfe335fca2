// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.processes.ChildEndedException;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.JavaProgram;
import dev.flowstone.processes.Patience;
import dev.flowstone.tap.card.CardTap;
import dev.flowstone.tap.command.TapCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The tap as a process of its own, as on a real host. One thread; whoever starts it closes it. */
final class TapProcess implements AutoCloseable {
  /** Large rings take their time, in which their maker works. */
  private static final Duration RINGS_PATIENCE = Duration.ofSeconds(60);

  private static final Duration RINGS_POLL_INTERVAL = Duration.ofMillis(20);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);
  private static final Duration STOP_LIMIT = CardTap.END_LIMIT.plusSeconds(1);

  private static final String WARNING = "warning: ";

  private final ChildProcess process;
  private final TapAnswers answers;
  private int heardErrors;

  private TapProcess(ChildProcess process) {
    this.process = process;
    answers = TapAnswers.hear(process.answers());
  }

  /** Starts a tap; what goes wrong in it stands in a file in the folder. */
  static TapProcess start(TrafficOptions traffic, Path rings, Path folder) throws IOException {
    JavaProgram program =
        JavaProgram.of("tap", TapCommand.class.getName(), traffic.tapArguments(rings, folder))
            // Where an emulated card's programs are.
            .withJvmOptions("-Dflowstone.home=" + System.getProperty("flowstone.home", ""))
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
    Patience patience = new Patience(RINGS_PATIENCE);
    while (!RingView.isThere(rings, ringCount)) {
      if (process.awaitEnd(RINGS_POLL_INTERVAL)) {
        process.requireRunning();
      }
      if (patience.isOver(process.work())) {
        throw new IOException(
            "the tap makes no rings: it has done nothing for " + RINGS_PATIENCE.toSeconds() + " s");
      }
    }
  }

  /** Its counters now, or in the end when it has ended. */
  TapCounters ask() throws IOException, InterruptedException {
    long heard = answers.count();
    try {
      process.input().write('\n');
      process.input().flush();
    } catch (IOException ended) {
      // Then its last word is still to be heard.
    }
    if (!answers.awaitMoreThan(heard, ANSWER_LIMIT)) {
      throw new IOException("the tap hangs: no answer for " + ANSWER_LIMIT.toSeconds() + " s");
    }
    return answers.latest();
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
      // The last word counts.
      answers.awaitEnd(STOP_LIMIT);
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
