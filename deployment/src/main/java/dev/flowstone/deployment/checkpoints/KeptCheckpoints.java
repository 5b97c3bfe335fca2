// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.checkpoints;

import dev.flowstone.deployment.StateFolder;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.offheap.FileLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/**
 * The lock of a job's checkpoints. A run in this process holds it to its end, a submission until
 * the cluster has the job. The holder closes it.
 */
public final class KeptCheckpoints implements AutoCloseable {
  private static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

  private final CheckpointFolder folder;
  private final FileLock lock;

  private KeptCheckpoints(CheckpointFolder folder, FileLock lock) {
    this.folder = folder;
    this.lock = lock;
  }

  /**
   * Makes the folder if need be.
   *
   * @param job whose it is from then on
   * @throws IOException if it is another job's, or another process holds it
   */
  public static KeptCheckpoints hold(CheckpointFolder folder, String job) throws IOException {
    Path path = StateFolder.make(folder.path());
    Path lock = path.resolveSibling(path.getFileName() + ".lock");
    KeptCheckpoints kept =
        new KeptCheckpoints(
            folder, StateFolder.tryLock(lock).orElseThrow(() -> new IOException(inUse(path))));
    try {
      kept.requireOwner(lock, job);
      return kept;
    } catch (IOException e) {
      kept.close();
      throw e;
    }
  }

  /**
   * Superseded checkpoints are deleted, and must not be another job's. The lock file names the
   * owner.
   */
  private void requireOwner(Path lock, String job) throws IOException {
    String owner = Files.readString(lock);
    if (owner.isEmpty()) {
      // Made just now, or by a run that was killed before it came to the next line.
      requireNoCheckpoints(lock, job);
      Files.writeString(lock, job);
    } else if (!owner.equals(job)) {
      throw new IOException(
          "%s has the checkpoints of job \"%s\": give job \"%s\" a folder of its own (--checkpoints)"
              .formatted(folder.path(), owner, job));
    }
  }

  private void requireNoCheckpoints(Path lock, String job) throws IOException {
    if (!folder.flinkFolders().isEmpty()) {
      Files.delete(lock);
      throw new IOException(
          ("%s has checkpoints of something else in it: give this job a folder of its own"
                  + " (--checkpoints); if they are its own, write its name, %s, into the file %s")
              .formatted(folder.path(), job, lock));
    }
  }

  private static String inUse(Path folder) {
    return "another process runs this job now, with its checkpoints in "
        + folder
        + ": stop that one, or give this one a name of its own (--name)";
  }

  public CheckpointFolder folder() {
    return folder;
  }

  /** Gives the folder another name; where it is then. Empty: there was nothing in it. */
  Optional<Path> putAside() throws IOException {
    if (folder.isEmpty()) {
      return Optional.empty();
    }
    Path path = folder.path();
    Path aside =
        path.resolveSibling(
            path.getFileName()
                + ".before-"
                + MOMENT.format(LocalDateTime.now(ZoneId.systemDefault())));
    Files.move(path, aside);
    StateFolder.make(path);
    return Optional.of(aside);
  }

  /** A folder beside it for what a run has on disk, without what a killed one left there. */
  public Path scratch() throws IOException {
    Path scratch = scratchFolder();
    if (Files.exists(scratch)) {
      ScratchFolder.deleteLeft(scratch);
    }
    return StateFolder.make(scratch);
  }

  private Path scratchFolder() {
    return folder.path().resolveSibling(folder.path().getFileName() + ".scratch");
  }

  @Override
  public void close() {
    try {
      Files.deleteIfExists(scratchFolder());
    } catch (IOException notEmpty) {
      // ScratchFolder has reported the files, and the next run removes them.
    }
    lock.close();
  }
}
