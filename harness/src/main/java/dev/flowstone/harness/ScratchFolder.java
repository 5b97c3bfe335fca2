// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * A new folder that is gone when it is closed, or at the latest when this JVM ends by itself. Any
 * thread may close it, also while others still write there.
 */
public final class ScratchFolder implements AutoCloseable {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final String PREFIX = "flowstone-";

  /** For those who write there: so long a deletion is tried again. */
  private static final Duration DELETION_LIMIT = Duration.ofSeconds(5);

  private static final Duration DELETION_INTERVAL = Duration.ofMillis(20);

  private final Path path;
  private volatile boolean kept;
  private final Thread atExit = new Thread(this::delete, "scratch-folder");

  private ScratchFolder(Path path) {
    this.path = path;
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /**
   * In memory, if the machine has a place for that.
   *
   * @param purpose stands in its name
   */
  public static ScratchFolder inMemory(String purpose) throws IOException {
    return Files.isWritable(SHARED_MEMORY)
        ? new ScratchFolder(Files.createTempDirectory(SHARED_MEMORY, PREFIX + purpose + "-"))
        : onDisk(purpose);
  }

  /** Where {@code java.io.tmpdir} says. */
  public static ScratchFolder onDisk(String purpose) throws IOException {
    return new ScratchFolder(Files.createTempDirectory(PREFIX + purpose + "-"));
  }

  /** In another folder than usual. */
  public static ScratchFolder in(Path parent, String purpose) throws IOException {
    return new ScratchFolder(Files.createTempDirectory(parent, PREFIX + purpose + "-"));
  }

  /** Deletes one that its process did not live to close. */
  public static void deleteLeft(Path folder) throws IOException {
    Files.walkFileTree(folder, new Deletion(file -> false));
  }

  public Path path() {
    return path;
  }

  /** Deletes all but some files; these and their folders stay, also when it is closed. */
  public void keep(Predicate<Path> files) throws IOException {
    kept = true;
    Files.walkFileTree(path, new Deletion(files));
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
    if (kept) {
      return;
    }
    long deadlineNs = System.nanoTime() + DELETION_LIMIT.toNanos();
    try {
      while (!isDeleted(System.nanoTime() - deadlineNs > 0)) {
        // Not to be interrupted: whoever deletes may be on its way out.
        LockSupport.parkNanos(DELETION_INTERVAL.toNanos());
      }
    } catch (IOException e) {
      System.err.println("warning: " + path + " cannot be removed, do so by hand: " + e);
    }
  }

  /** False: somebody wrote there meanwhile, which is forgiven but for the last time. */
  private boolean isDeleted(boolean lastTime) throws IOException {
    try {
      if (Files.exists(path)) {
        Files.walkFileTree(path, new Deletion(file -> false));
      }
      return true;
    } catch (DirectoryNotEmptyException filledAgain) {
      if (lastTime) {
        throw filledAgain;
      }
      return false;
    }
  }

  /** What vanishes meanwhile needs no deletion. */
  private static final class Deletion extends SimpleFileVisitor<Path> {
    private final Predicate<Path> kept;
    private boolean keptAny;

    Deletion(Predicate<Path> kept) {
      this.kept = kept;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      if (kept.test(file)) {
        keptAny = true;
      } else {
        Files.deleteIfExists(file);
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
      if (failure instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw failure;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, IOException failure) throws IOException {
      try {
        Files.deleteIfExists(folder);
      } catch (DirectoryNotEmptyException full) {
        if (!keptAny) {
          throw full;
        }
      }
      return FileVisitResult.CONTINUE;
    }
  }
}
