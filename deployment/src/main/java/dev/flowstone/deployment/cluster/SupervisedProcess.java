// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.cluster;

import dev.flowstone.offheap.Reason;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.JavaProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * A process that is started again when it has ended: soon at first, later and later if it does not
 * live long. Whoever made it ends it; one thread looks, any may end it.
 */
final class SupervisedProcess {
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  /** Whoever lived that long may be started again soon. */
  private static final Duration LONG_LIFE = Duration.ofMinutes(1);

  private final JavaProgram program;
  private final Path folder;

  /** Null while it is down. */
  private ChildProcess process;

  private Duration pause = SHORTEST_PAUSE;
  private long startedNs;
  private long endedNs;
  private Instant started = Instant.EPOCH;

  /** When and how it ended the last time; empty: it has not. */
  private String latestEnd = "";

  private int starts;
  private boolean closed;

  SupervisedProcess(JavaProgram program, Path folder) {
    this.program = program;
    this.folder = folder;
  }

  String name() {
    return program.name();
  }

  /** Starts it if it is time to; a line when something happened to it. */
  synchronized Optional<String> look(long nowNs) {
    if (closed || (process != null && process.isAlive())) {
      return Optional.empty();
    }
    if (process != null) {
      return Optional.of(down(process.explainEnd(), nowNs));
    }
    if (starts > 0 && nowNs - endedNs < pause.toNanos()) {
      return Optional.empty();
    }
    return Optional.of(start(nowNs));
  }

  /** One that cannot be started, for want of disk or memory, is down like one that has ended. */
  private String start(long nowNs) {
    starts++;
    startedNs = nowNs;
    started = now();
    try {
      process = ChildProcess.start(program, ChildOutput.gatheredIn(folder));
      return now() + " " + state();
    } catch (IOException e) {
      return down("the " + program.name() + " cannot be started: " + Reason.of(e), nowNs);
    }
  }

  private String down(String why, long nowNs) {
    process = null;
    endedNs = nowNs;
    pause = nextPause(nowNs);
    latestEnd = now() + " " + why;
    return latestEnd
        + "; starting it again in "
        + pause.toMillis()
        + " ms; its log: "
        + folder.resolve(program.name() + ".log");
  }

  private static Instant now() {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS);
  }

  private Duration nextPause(long nowNs) {
    if (starts == 1 || nowNs - startedNs >= LONG_LIFE.toNanos()) {
      return SHORTEST_PAUSE;
    }
    Duration doubled = pause.multipliedBy(2);
    return doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
  }

  /** How it is, and on a line of its own how it ended the last time. */
  synchronized String describe() {
    return state() + (latestEnd.isEmpty() ? "" : "\n  " + latestEnd);
  }

  private String state() {
    String again = starts < 2 ? "" : ", restarts: " + (starts - 1);
    return process == null
        ? program.name() + " is down" + again
        : program.name() + " pid " + process.handle().pid() + " since " + started + again;
  }

  /** SIGTERM; returns at once. It is not started again. */
  synchronized void askToEnd() {
    closed = true;
    if (process != null) {
      process.handle().destroy();
    }
  }

  /** Returns when it is gone; kills what takes longer than that. */
  synchronized void end(Duration limit) {
    closed = true;
    if (process != null) {
      process.stop(limit);
    }
  }
}
