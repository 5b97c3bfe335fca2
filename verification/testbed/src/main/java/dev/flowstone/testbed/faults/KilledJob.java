// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.faults;

import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.testbed.programs.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The platform job as a process that dies and comes back. One thread; its maker closes it. */
public final class KilledJob implements AutoCloseable {
  private static final Duration CHECKPOINT_LIMIT = Duration.ofSeconds(60);
  private static final long POLL_INTERVAL_MS = 5;
  private final Path folder;
  private final Checkpoints checkpoints;
  private final List<String> arguments;
  private ChildProcess process;
  private Optional<Path> latest = Optional.empty();
  private int starts;
  private Path log;

  public KilledJob(Path folder, Path rings, KafkaTopic topic) {
    this.folder = folder;
    this.checkpoints = new Checkpoints(folder.resolve("checkpoints"));
    this.arguments =
        List.of(
            "--rings",
            rings.toString(),
            "--bootstrap-servers",
            topic.bootstrapServers(),
            "--topic",
            topic.name(),
            "--checkpoints",
            checkpoints.folder().toString(),
            "--bounded");
  }

  /** Starts it with the newest whole checkpoint, if there is one. */
  public void start() throws IOException {
    latest = checkpoints.newest();
    List<String> all = new ArrayList<>(arguments);
    latest.ifPresent(path -> all.addAll(List.of("--recover-from", path.toString())));
    String name = "job-" + ++starts;
    log = folder.resolve(name + ".log");
    process =
        ChildProcess.start(
            Programs.of(folder, name, CheckpointedJob.class.getName(), all)
                .withJvmOptions("-Xmx1g", "-XX:+UseParallelGC", "-Dflowstone.log=" + log),
            ChildOutput.gatheredIn(folder));
  }

  /** Returns when there is a checkpoint that was not there at the start or the last call. */
  public void awaitCheckpoint() throws IOException, InterruptedException {
    long deadlineNs = System.nanoTime() + CHECKPOINT_LIMIT.toNanos();
    Optional<Path> newest = checkpoints.newest();
    while (newest.equals(latest)) {
      if (!process.isAlive() || System.nanoTime() - deadlineNs > 0) {
        throw new AssertionError("start " + starts + " made no checkpoint:\n" + said());
      }
      Thread.sleep(POLL_INTERVAL_MS);
      newest = checkpoints.newest();
    }
    latest = newest;
  }

  public void kill() throws IOException, InterruptedException {
    if (!process.isAlive()) {
      throw new AssertionError("start " + starts + " ended before it was killed:\n" + said());
    }
    process.kill();
  }

  /** Waits for the end that follows the end of the rings. */
  public void finish(Duration limit) throws IOException, InterruptedException {
    Programs.requireSuccess(process, limit);
  }

  private String said() throws IOException {
    return Programs.said(process) + Files.readString(log);
  }

  @Override
  public void close() {
    if (process != null) {
      process.close();
    }
  }
}
