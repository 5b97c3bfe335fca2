// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** A folder of gigabytes that is gone when it is closed, or at the latest when this JVM ends. */
final class ScratchFolder implements AutoCloseable {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final String PREFIX = "flowstone-bench-";

  private final Path path;
  private final Thread atExit = new Thread(this::delete, "bench-scratch");

  private ScratchFolder(Path path) {
    this.path = path;
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /** In memory, if the machine has a place for that. */
  static ScratchFolder inMemory() throws IOException {
    return Files.isWritable(SHARED_MEMORY)
        ? new ScratchFolder(Files.createTempDirectory(SHARED_MEMORY, PREFIX))
        : onDisk();
  }

  /** Where {@code java.io.tmpdir} says. */
  static ScratchFolder onDisk() throws IOException {
    return new ScratchFolder(Files.createTempDirectory(PREFIX));
  }

  Path path() {
    return path;
  }

  @Override
  public void close() {
    delete();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException exiting) {
      // It runs already, and finds nothing.
    }
  }

  private void delete() {
    if (!Files.exists(path)) {
      return;
    }
    try {
      Files.walkFileTree(path, new Deletion());
    } catch (IOException e) {
      Progress.say(path + ": cannot be removed, do so by hand: " + e.getMessage());
    }
  }

  private static final class Deletion extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, IOException failure)
        throws IOException {
      Files.deleteIfExists(directory);
      return FileVisitResult.CONTINUE;
    }
  }
}
