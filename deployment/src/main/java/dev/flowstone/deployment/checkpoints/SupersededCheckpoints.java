// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.checkpoints;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What earlier runs left in a folder of checkpoints and the next one does not go on from. To be
 * found while no run is at work there; deleted once it is not needed to fall back on. Were it left,
 * a later start might go on from it, and deliver again what came after.
 */
public final class SupersededCheckpoints {
  static final SupersededCheckpoints NONE = new SupersededCheckpoints();

  /** Files before the folders that they are in. */
  private final List<Path> paths = new ArrayList<>();

  private SupersededCheckpoints() {}

  /**
   * What stands in folders of Flink's but a checkpoint or savepoint and the files that it names:
   * incremental checkpoints share files with those before them, whosever these were.
   */
  static SupersededCheckpoints in(List<Path> folders, Optional<Path> kept) throws IOException {
    // Names are random numbers: one that is not in there is not needed.
    String needed =
        kept.isEmpty()
            ? ""
            : Files.readString(
                kept.get().resolve(CheckpointFolder.LAST_WRITTEN), StandardCharsets.ISO_8859_1);
    SupersededCheckpoints superseded = new SupersededCheckpoints();
    for (Path folder : folders) {
      Files.walkFileTree(folder, superseded.new Search(kept, needed));
    }
    return superseded;
  }

  public boolean isEmpty() {
    return paths.isEmpty();
  }

  /** Tries once; throws if something is still there then that should not be. */
  public void delete() throws IOException {
    List<Path> all = List.copyOf(paths);
    paths.clear();
    for (Path path : all) {
      try {
        Files.deleteIfExists(path);
      } catch (DirectoryNotEmptyException stillNeeded) {
        // A folder with files that are not ours to delete.
      }
    }
  }

  private final class Search extends SimpleFileVisitor<Path> {
    private final Optional<Path> kept;
    private final String needed;

    Search(Optional<Path> kept, String needed) {
      this.kept = kept;
      this.needed = needed;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
      return kept.filter(folder::equals).isPresent()
          ? FileVisitResult.SKIP_SUBTREE
          : FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      String name = file.getFileName().toString();
      if (name.equals(CheckpointFolder.LAST_WRITTEN)) {
        // First of all: what is not whole any more must not look so.
        paths.addFirst(file);
      } else if (!needed.contains(name)) {
        paths.add(file);
      }
      return FileVisitResult.CONTINUE;
    }

    /** Flink may delete some meanwhile, on threads that outlive the job. */
    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
      return goOnIfGone(failure);
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, IOException failure) throws IOException {
      paths.add(folder);
      return goOnIfGone(failure);
    }

    private static FileVisitResult goOnIfGone(IOException failure) throws IOException {
      if (failure == null || failure instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw failure;
    }
  }
}
