// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/**
 * A folder in which no other user can create, replace or rename files. In any other folder, a local
 * user can replace a new file by a symbolic link, and a tap that runs as root then overwrites the
 * link's target.
 */
public final class OwnFolder {
  private static final int ROOT = 0;
  private static final int UNMAPPED_USER = 65534;
  private static final Path UID_MAP = Path.of("/proc/self/uid_map");
  private static final String ALL_USERS = " 4294967295";
  private static final int TYPE = 0170000;
  private static final int FOLDER = 0040000;
  private static final int LINK = 0120000;
  private static final int OTHERS_WRITE = 0022;
  private static final int STICKY = 01000;

  private OwnFolder() {}

  /**
   * Creates a folder for this process's user alone, unless it exists.
   *
   * @throws IOException as {@link #require} does; then nothing was created
   */
  public static void create(Path folder) throws IOException {
    Path existing = folder.toAbsolutePath();
    while (!Files.exists(existing, LinkOption.NOFOLLOW_LINKS)) {
      existing = existing.getParent();
    }
    if (!existing.equals(folder.toAbsolutePath())) {
      requireSafeParents(existing.resolve("inside"));
    }
    Files.createDirectories(
        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    require(folder);
  }

  /**
   * Returns if only this process's user, and root, can change the folder or replace it by another
   * one.
   *
   * @throws IOException if another user can; the message names the folder, the reason and the
   *     remedy
   */
  public static void require(Path folder) throws IOException {
    requireOwn(folder, Status.of(folder));
    requireSafeParents(folder.toAbsolutePath());
  }

  /** Checks all parent folders, of the folder itself and of the targets of symbolic links. */
  private static void requireSafeParents(Path path) throws IOException {
    for (Path above = path.getParent(); above != null; above = above.getParent()) {
      Status status = Status.of(above);
      requireSafe(above, status);
      if (status.isLink()) {
        requireSafeParents(above.resolveSibling(Files.readSymbolicLink(above)).resolve("inside"));
      }
    }
  }

  private static void requireOwn(Path folder, Status status) throws IOException {
    if (!status.isFolder()) {
      throw new IOException(
          folder + ": expected a folder, got a file or a symbolic link; name the folder itself");
    }
    if (status.user != Posix.effectiveUser()) {
      throw new IOException(
          "%s: owned by user %d, who can replace its files; choose a folder of your own, or a new one"
              .formatted(folder, status.user));
    }
    if ((status.mode & OTHERS_WRITE) != 0) {
      throw new IOException(
          "%s: writable by other users, who can replace its files; run: chmod go-w %s"
              .formatted(folder, folder));
    }
  }

  private static void requireSafe(Path above, Status status) throws IOException {
    boolean isOthers =
        status.user != ROOT
            && status.user != Posix.effectiveUser()
            && !(status.user == UNMAPPED_USER && isInUserNamespace());
    boolean isOpen =
        !status.isLink() && (status.mode & OTHERS_WRITE) != 0 && (status.mode & STICKY) == 0;
    if (isOthers || isOpen) {
      throw new IOException(
          "%s: %s, who can replace the folders in it; choose a folder elsewhere"
              .formatted(
                  above, isOthers ? "owned by user " + status.user : "writable by other users"));
    }
  }

  /** There, folders of users outside, such as the host's root, all belong to the same number. */
  private static boolean isInUserNamespace() throws IOException {
    return !Files.readString(UID_MAP).strip().endsWith(ALL_USERS);
  }

  private record Status(int user, int mode) {
    static Status of(Path path) throws IOException {
      Map<String, Object> status =
          Files.readAttributes(path, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
      return new Status((int) status.get("uid"), (int) status.get("mode"));
    }

    boolean isFolder() {
      return (mode & TYPE) == FOLDER;
    }

    boolean isLink() {
      return (mode & TYPE) == LINK;
    }
  }
}
