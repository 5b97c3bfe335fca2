// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.cluster;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.flowstone.deployment.StateFolder;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.offheap.FileLock;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ConfigurationUtils;
import org.apache.flink.configuration.GlobalConfiguration;

/** All that this user's cluster has on disk. Whoever supervises it holds its lock. */
public record ClusterFolder(Path path) {
  private static final String CONFIGURATION_FILE = "config.yaml";

  /** Only its supervisor writes it, when it has the lock: the number of its process. */
  private static final String LOCK_FILE = "supervisor.pid";

  private static final String START_LOCK_FILE = "start.lock";

  public static ClusterFolder find() {
    return new ClusterFolder(StateFolder.find().cluster());
  }

  /** As Flink's processes and clients are told it. */
  public Path configurationFolder() {
    return path.resolve("conf");
  }

  Path log() {
    return path.resolve("log");
  }

  Path status() {
    return path.resolve("processes.properties");
  }

  Path scratch() {
    return path.resolve("tmp");
  }

  Path checkpoints() {
    return path.resolve("checkpoints");
  }

  Path savepoints() {
    return path.resolve("savepoints");
  }

  void make() throws IOException {
    StateFolder.make(path);
    for (Path folder :
        new Path[] {configurationFolder(), log(), scratch(), checkpoints(), savepoints()}) {
      StateFolder.make(folder);
    }
  }

  /** Processes that were killed leave files there; only while none run. */
  void emptyScratch() throws IOException {
    ScratchFolder.deleteLeft(scratch());
    StateFolder.make(scratch());
  }

  private Path lockFile() {
    return path.resolve(LOCK_FILE);
  }

  /** Empty: somebody else is about to start it. Two would write two configurations. */
  Optional<FileLock> takeTurnToStart() throws IOException {
    return StateFolder.tryLock(path.resolve(START_LOCK_FILE));
  }

  /** Makes this process its supervisor, unless it has one. */
  Optional<FileLock> take() throws IOException {
    Optional<FileLock> lock = StateFolder.tryLock(lockFile());
    if (lock.isPresent()) {
      Files.writeString(lockFile(), Long.toString(ProcessHandle.current().pid()));
    }
    return lock;
  }

  /** Whether it has a supervisor, and so processes that run. */
  public boolean isSupervised() {
    return Files.exists(lockFile()) && FileLock.isTaken(lockFile());
  }

  /** Told by its supervisor in the end: the next one has the lock before it writes its number. */
  void forgetSupervisor() {
    try {
      Files.writeString(lockFile(), "");
    } catch (IOException e) {
      System.out.println("cannot empty " + lockFile() + ": " + Reason.of(e));
    }
  }

  /**
   * Its supervisor's process; only while {@link #isSupervised}. Empty: it has just begun, and the
   * file has no number yet, or that of one that was killed, which may be anybody's by now.
   */
  Optional<ProcessHandle> supervisor() throws IOException {
    String pid = Files.readString(lockFile()).strip();
    return pid.isEmpty() || !isSupervisor(pid)
        ? Optional.empty()
        : ProcessHandle.of(Long.parseLong(pid));
  }

  private static boolean isSupervisor(String pid) throws IOException {
    // Java's own look at a command line ends after a page, amid the class path.
    Path commandLine = Path.of("/proc", pid, "cmdline");
    return Files.exists(commandLine)
        && Files.readString(commandLine, ISO_8859_1).contains('\0' + Supervisor.class.getName());
  }

  void write(Configuration configuration) throws IOException {
    Files.write(
        configurationFolder().resolve(CONFIGURATION_FILE),
        ConfigurationUtils.convertConfigToWritableLines(configuration, false));
  }

  public Configuration configuration() {
    return GlobalConfiguration.loadConfiguration(configurationFolder().toString());
  }
}
