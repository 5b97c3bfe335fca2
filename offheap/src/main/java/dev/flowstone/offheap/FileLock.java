// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap;

import java.nio.file.Path;
import java.util.Optional;

/**
 * A flock(2) on a file, until it is closed or the process is gone. It belongs to this object alone:
 * unlike the locks of {@link java.nio.channels.FileChannel}, nobody gives it away by closing the
 * same file elsewhere in the process, and two holders in one process exclude each other, too.
 *
 * <p>Whoever took it closes it; any thread.
 */
public final class FileLock implements AutoCloseable {
  private final Path path;
  private int descriptor;

  private FileLock(Path path, int descriptor) {
    this.path = path;
    this.descriptor = descriptor;
  }

  /**
   * Takes the lock unless somebody has it.
   *
   * @throws NativeCallException if the file cannot be opened
   */
  public static Optional<FileLock> tryTake(Path path) {
    int descriptor = Posix.openToRead(path);
    if (Posix.tryLock(path, descriptor)) {
      return Optional.of(new FileLock(path, descriptor));
    }
    Posix.close(path, descriptor);
    return Optional.empty();
  }

  /**
   * Whether somebody has the lock; who asks at the same time is not taken for him.
   *
   * @throws NativeCallException if the file cannot be opened
   */
  public static boolean isTaken(Path path) {
    int descriptor = Posix.openToRead(path);
    try {
      return !Posix.tryShare(path, descriptor);
    } finally {
      Posix.close(path, descriptor);
    }
  }

  @Override
  public synchronized void close() {
    if (descriptor >= 0) {
      int closing = descriptor;
      descriptor = -1;
      Posix.close(path, closing);
    }
  }
}
