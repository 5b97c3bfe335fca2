// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import dev.flowstone.deployment.StateFolder;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.offheap.FileLock;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * The folder in which one job keeps its checkpoints and savepoints, over all its runs. Held by one
 * run at a time, which closes it.
 */
final class KeptCheckpoints implements AutoCloseable {
  /** Flink writes it last, by renaming: where it stands, the checkpoint is whole. */
  private static final String LAST_WRITTEN = "_metadata";

  private static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

  private final Path folder;
  private final FileLock lock;

  private KeptCheckpoints(Path folder, FileLock lock) {
    this.folder = folder;
    this.lock = lock;
  }

  /** Makes the folder if need be. */
  static KeptCheckpoints hold(Path folder) throws IOException {
    StateFolder.make(folder);
    Path lock = folder.resolveSibling(folder.getFileName() + ".lock");
    return new KeptCheckpoints(
        folder, StateFolder.tryLock(lock).orElseThrow(() -> new IOException(inUse(folder))));
  }

  private static String inUse(Path folder) {
    return "another process runs this job now, with its checkpoints in "
        + folder
        + ": stop that one, or give this one a name of its own (--name)";
  }

  Path folder() {
    return folder;
  }

  /** What a run goes on from, and since when it is there. */
  record Restorable(Path path, FileTime time) {
    Instant second() {
      return time.toInstant().truncatedTo(ChronoUnit.SECONDS);
    }
  }

  /** The newest that is whole. */
  Optional<Restorable> newest() throws IOException {
    Newest newest = new Newest();
    Files.walkFileTree(folder, newest);
    return Optional.ofNullable(newest.found);
  }

  /** Gives the folder another name; where it is then. Empty: there was nothing in it. */
  Optional<Path> putAside() throws IOException {
    if (newest().isEmpty()) {
      return Optional.empty();
    }
    Path aside =
        folder.resolveSibling(
            folder.getFileName()
                + ".before-"
                + MOMENT.format(LocalDateTime.now(ZoneId.systemDefault())));
    Files.move(folder, aside);
    Files.createDirectory(folder);
    return Optional.of(aside);
  }

  /** A folder beside it for what a run has on disk, without what a killed one left there. */
  Path scratch() throws IOException {
    Path scratch = folder.resolveSibling(folder.getFileName() + ".scratch");
    if (Files.exists(scratch)) {
      ScratchFolder.deleteLeft(scratch);
    }
    return StateFolder.make(scratch);
  }

  @Override
  public void close() {
    lock.close();
  }

  private static final class Newest extends SimpleFileVisitor<Path> {
    private Restorable found;

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      if (file.getFileName().toString().equals(LAST_WRITTEN)) {
        Restorable other = new Restorable(file.getParent(), attributes.lastModifiedTime());
        found = found == null || other.time().compareTo(found.time()) > 0 ? other : found;
      }
      return FileVisitResult.CONTINUE;
    }
  }
}
