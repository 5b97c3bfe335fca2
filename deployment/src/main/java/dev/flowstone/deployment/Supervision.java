// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.flowstone.offheap.FileLock;
import dev.flowstone.offheap.Reason;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The supervisor of a folder: a process that outlives the command that starts it, and holds a lock
 * in the folder until it ends.
 *
 * @param log what the supervisor prints
 * @param mainClass of the supervisor, by which its process is recognized
 */
public record Supervision(Path folder, Path log, Class<?> mainClass) {
  /** Only the supervisor writes this file, while it holds the lock: its process ID. */
  private static final String LOCK_FILE = "supervisor.pid";

  private static final String START_LOCK_FILE = "start.lock";
  private static final long POLL_INTERVAL_MS = 100;

  /**
   * Returns an empty result if another start is in progress. Two would write two configurations.
   */
  public Optional<FileLock> takeTurnToStart() throws IOException {
    return StateFolder.tryLock(folder.resolve(START_LOCK_FILE));
  }

  /** Makes this process the supervisor, unless the folder has one. */
  public Optional<FileLock> take() throws IOException {
    Optional<FileLock> lock = StateFolder.tryLock(lockFile());
    if (lock.isPresent()) {
      Files.writeString(lockFile(), Long.toString(ProcessHandle.current().pid()));
    }
    return lock;
  }

  /** Called by the supervisor before it ends: the next one has the lock before it writes its ID. */
  public void forget() {
    try {
      Files.writeString(lockFile(), "");
    } catch (IOException e) {
      System.out.println("cannot empty " + lockFile() + ": " + Reason.of(e));
    }
  }

  /** Whether the folder has a supervisor. */
  public boolean isActive() {
    return Files.exists(lockFile()) && FileLock.isTaken(lockFile());
  }

  /**
   * Returns the supervisor's process; only while {@link #isActive}. Empty: the supervisor has just
   * started, and the file has no process ID yet, or the one of a killed supervisor, which the
   * kernel may have given to another process.
   */
  public Optional<ProcessHandle> process() throws IOException {
    String pid = Files.readString(lockFile()).strip();
    return pid.isEmpty() || !isSupervisor(pid)
        ? Optional.empty()
        : ProcessHandle.of(Long.parseLong(pid));
  }

  private boolean isSupervisor(String pid) throws IOException {
    // ProcessHandle reads one memory page of a command line, which ends within the class path.
    Path commandLine = Path.of("/proc", pid, "cmdline");
    return Files.exists(commandLine)
        && Files.readString(commandLine, ISO_8859_1).contains('\0' + mainClass.getName());
  }

  /** Starts a supervisor in a session of its own: it outlives this command and its terminal. */
  public Process start(List<String> jvmOptions, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("setsid"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass.getName()));
    command.addAll(arguments);
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .redirectInput(new File("/dev/null"))
        .start();
  }

  /** Sends SIGTERM to the supervisor and returns when it has ended. */
  public void stop(Duration limit) throws IOException, InterruptedException {
    process()
        .orElseThrow(
            () ->
                new IOException(
                    folder + ": the supervisor is starting or about to end; run the command again"))
        .destroy();
    long deadlineNs = System.nanoTime() + limit.toNanos();
    while (isActive()) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new IOException(
            folder + ": the supervisor did not end within " + limit.toSeconds() + " s; see " + log);
      }
      Thread.sleep(POLL_INTERVAL_MS);
    }
  }

  /** Returns the last line that the supervisor printed, and where its other lines are. */
  public String lastWords() throws IOException {
    List<String> lines = Files.readAllLines(log);
    return (lines.isEmpty() ? "it printed nothing" : lines.getLast()) + "; see " + log;
  }

  private Path lockFile() {
    return folder.resolve(LOCK_FILE);
  }
}
