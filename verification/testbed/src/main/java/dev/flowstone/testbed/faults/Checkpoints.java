// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Optional;

/** The folder where a job keeps its checkpoints, all its restarts included. */
public record Checkpoints(Path folder) {
  /**
   * Flink writes it last, under another name at first: where it stands, the checkpoint is whole.
   */
  private static final String LAST_WRITTEN = "_metadata";

  /** The newest whole checkpoint. A running job may take away older ones meanwhile. */
  public Optional<Path> newest() {
    NewestFile newest = new NewestFile();
    try {
      if (Files.exists(folder)) {
        Files.walkFileTree(folder, newest);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot look through " + folder, e);
    }
    return Optional.ofNullable(newest.file).map(Path::getParent);
  }

  private static final class NewestFile extends SimpleFileVisitor<Path> {
    private Path file;
    private FileTime time;

    @Override
    public FileVisitResult visitFile(Path visited, BasicFileAttributes attributes) {
      boolean whole = visited.getFileName().toString().equals(LAST_WRITTEN);
      if (whole && (time == null || attributes.lastModifiedTime().compareTo(time) > 0)) {
        file = visited;
        time = attributes.lastModifiedTime();
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path gone, IOException e) {
      return FileVisitResult.CONTINUE;
    }
  }
}
