// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.cluster;

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
 * live long. Whoever made it closes it; one thread looks, any may close.
 */
final class SupervisedProcess implements AutoCloseable {
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  /** Whoever lived that long may be started again soon. */
  private static final Duration LONG_LIFE = Duration.ofMinutes(1);

  private final JavaProgram program;
  private final Path folder;
  private ChildProcess process;
  private Duration pause = SHORTEST_PAUSE;
  private long startedNs;
  private long endedNs;
  private Instant started = Instant.EPOCH;
  private boolean ended;
  private boolean closed;
  private int restarts;

  SupervisedProcess(JavaProgram program, Path folder) {
    this.program = program;
    this.folder = folder;
  }

  String name() {
    return program.name();
  }

  /** Starts it if it is time to; a line when something happened to it. */
  synchronized Optional<String> look(long nowNs) throws IOException {
    if (closed || (process != null && process.isAlive())) {
      return Optional.empty();
    }
    if (process == null) {
      start(nowNs);
      return Optional.of(now() + " " + describe());
    }
    if (!ended) {
      ended = true;
      endedNs = nowNs;
      pause = nextPause(nowNs);
      return Optional.of(
          now()
              + " "
              + process.explainEnd()
              + "; starting it again in "
              + pause.toMillis()
              + " ms; its log: "
              + folder.resolve(program.name() + ".log"));
    }
    if (nowNs - endedNs < pause.toNanos()) {
      return Optional.empty();
    }
    restarts++;
    start(nowNs);
    return Optional.of(now() + " " + describe());
  }

  private void start(long nowNs) throws IOException {
    startedNs = nowNs;
    started = now();
    ended = false;
    process = ChildProcess.start(program, ChildOutput.gatheredIn(folder));
  }

  private static Instant now() {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS);
  }

  private Duration nextPause(long nowNs) {
    if (nowNs - startedNs >= LONG_LIFE.toNanos()) {
      return SHORTEST_PAUSE;
    }
    Duration doubled = restarts == 0 ? SHORTEST_PAUSE : pause.multipliedBy(2);
    return doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
  }

  synchronized String describe() {
    String again = restarts == 0 ? "" : ", restarts: " + restarts;
    return ended
        ? program.name() + " is down" + again
        : program.name() + " pid " + process.handle().pid() + " since " + started + again;
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (process != null) {
      process.close();
    }
  }
}
