// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment;

import dev.flowstone.harness.DiskSpace;
import dev.flowstone.offheap.FileLock;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.regex.Pattern;

/** What outlives a run of this user's: checkpoints, logs, and which cluster there is. */
public record StateFolder(Path path) {
  private static final String VARIABLE = "FLOWSTONE_STATE";

  private static final Pattern FOLDER_NAME = Pattern.compile("[^./\\p{Cntrl}][^/\\p{Cntrl}]*");

  /** Whether there is one: a user without HOME has none. */
  public static boolean isKnown() {
    return System.getenv(VARIABLE) != null;
  }

  /** Where the launcher says: {@code $FLOWSTONE_STATE}, by default below the user's own state. */
  public static StateFolder find() {
    String path = System.getenv(VARIABLE);
    if (path == null) {
      throw new IllegalStateException(
          "this user has no HOME: "
              + VARIABLE
              + " must name the folder of checkpoints, logs and what else outlives a run");
    }
    return new StateFolder(Path.of(path).toAbsolutePath());
  }

  /**
   * Of a job that runs in one process.
   *
   * @throws IllegalArgumentException if no folder in there can have the name
   */
  public Path job(String name) {
    if (!FOLDER_NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "--name must be a name for a folder, without / and not beginning with a dot: " + name);
    }
    return path.resolve("jobs").resolve(name);
  }

  public Path cluster() {
    return path.resolve("cluster");
  }

  /** The folder, which is there from then on; nobody else may look into it. */
  public static Path make(Path folder) throws IOException {
    try {
      return Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (IOException e) {
      throw new IOException("cannot make the folder " + folder + ": " + Reason.of(e), e);
    }
  }

  /**
   * Throws if a folder in here has less space.
   *
   * @param purpose what requires the bytes, in the plural
   */
  public static void requireSpace(Path folder, long bytes, String purpose) throws IOException {
    DiskSpace.of(folder)
        .require(bytes, purpose, "free space, or set " + VARIABLE + " to a folder on another disk");
  }

  /** The lock of a file, which is there from then on; empty: somebody has it. */
  public static Optional<FileLock> tryLock(Path file) throws IOException {
    try {
      Files.createFile(file);
    } catch (FileAlreadyExistsException usual) {
      // Of an earlier run.
    }
    return FileLock.tryTake(file);
  }
}
