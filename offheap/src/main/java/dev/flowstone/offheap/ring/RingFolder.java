// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.offheap.FileLock;
import dev.flowstone.offheap.NativeCallException;
import dev.flowstone.offheap.OwnFolder;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A ring folder that a tap has to itself until it closes this: no other tap fills it meanwhile, and
 * no other user can change what is in it. Folder and files are the owner's alone, or open to a
 * group.
 */
final class RingFolder implements AutoCloseable {
  private static final int LOCK_TRIES = 20;
  private static final long LOCK_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final String GROUP_FOLDER = "rwxr-x---";
  private static final String GROUP_LOCK = "rw-r-----";
  private static final String GROUP_FILE = "rw-rw----";

  private final RingDirectory directory;
  private final Optional<GroupPrincipal> group;
  private final FileLock lock;

  private RingFolder(RingDirectory directory, Optional<GroupPrincipal> group, FileLock lock) {
    this.directory = directory;
    this.group = group;
    this.lock = lock;
  }

  /** Makes the folder where there is none, and takes it. */
  static RingFolder take(RingDirectory directory, Optional<String> groupName) {
    Path path = directory.path();
    try {
      Optional<GroupPrincipal> group = groupName.isEmpty() ? Optional.empty() : find(groupName);
      boolean existed = Files.exists(path);
      OwnFolder.create(path);
      if (group.isPresent()) {
        open(path, group.get(), existed);
      }
      makeLock(directory.lockFile(), group);
      return new RingFolder(directory, group, lock(directory));
    } catch (IOException | NativeCallException e) {
      throw new RingFileException(path + ": cannot make a ring folder there: " + Reason.of(e), e);
    }
  }

  /**
   * Lets a group list a folder that was made just now. One that was there keeps the rights that
   * somebody gave it: it may serve other ends, too.
   */
  private static void open(Path path, GroupPrincipal group, boolean existed) throws IOException {
    if (!existed) {
      grant(path, group, GROUP_FOLDER);
      return;
    }
    PosixFileAttributes folder = Files.readAttributes(path, PosixFileAttributes.class);
    Set<PosixFilePermission> rights = folder.permissions();
    boolean toGroup =
        folder.group().equals(group)
            && rights.containsAll(
                Set.of(PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_EXECUTE));
    boolean toAll =
        rights.containsAll(
            Set.of(PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_EXECUTE));
    if (!toGroup && !toAll) {
      throw new RingFileException(
          String.format(
              "%s: group %s cannot list this folder, which was there before: chgrp %s %s && chmod"
                  + " g+rx %s, or choose another --rings",
              path, group.getName(), group.getName(), path, path));
    }
  }

  private static Optional<GroupPrincipal> find(Optional<String> name) throws IOException {
    try {
      return Optional.of(
          Path.of("/")
              .getFileSystem()
              .getUserPrincipalLookupService()
              .lookupPrincipalByGroupName(name.orElseThrow()));
    } catch (UserPrincipalNotFoundException e) {
      throw new IllegalArgumentException("there is no group " + name.orElseThrow(), e);
    }
  }

  /** Readers of the group open it, too, to see whether a tap is running. */
  private static void makeLock(Path file, Optional<GroupPrincipal> group) throws IOException {
    try {
      Files.createFile(file);
    } catch (FileAlreadyExistsException madeBefore) {
      return;
    }
    if (group.isPresent()) {
      grant(file, group.get(), GROUP_LOCK);
    }
  }

  /** Tried for a moment: who looks whether there is a tap takes the lock while it looks. */
  private static FileLock lock(RingDirectory directory) throws IOException {
    for (int tries = 0; tries < LOCK_TRIES; tries++) {
      Optional<FileLock> lock = FileLock.tryTake(directory.lockFile());
      if (lock.isPresent()) {
        return lock.get();
      }
      LockSupport.parkNanos(LOCK_PAUSE_NS);
    }
    throw new RingFileException(
        directory.path() + ": another tap fills these rings; stop it or choose another --rings");
  }

  /** Opens a new ring file to the group, if there is one. */
  void grantFile(Path file) throws IOException {
    if (group.isPresent()) {
      grant(file, group.get(), GROUP_FILE);
    }
  }

  private static void grant(Path path, GroupPrincipal group, String permissions)
      throws IOException {
    Files.getFileAttributeView(path, PosixFileAttributeView.class).setGroup(group);
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
  }

  RingDirectory directory() {
    return directory;
  }

  @Override
  public void close() {
    lock.close();
  }
}
