// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.offheap.FileLock;
import dev.flowstone.offheap.NativeCallException;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The folder where one tap keeps its ring files: ring-000.ring, ring-001.ring and so on. */
public record RingDirectory(Path path) {
  private static final String PATTERN = "ring-[0-9][0-9][0-9].ring";
  private static final String TEMPORARY_PATTERN = ".ring-[0-9][0-9][0-9].tmp";

  public Path ringFile(int ring) {
    return path.resolve(String.format("ring-%03d.ring", ring));
  }

  Path temporaryFile(int ring) {
    return path.resolve(String.format(".ring-%03d.tmp", ring));
  }

  Path lockFile() {
    return path.resolve("tap.lock");
  }

  /** Whether a tap fills these rings now; true also where that cannot be seen. */
  public boolean hasTap() {
    try {
      return FileLock.isTaken(lockFile());
    } catch (NativeCallException unseen) {
      return Files.exists(lockFile());
    }
  }

  /** The ring files there now, by ring; empty when the folder does not exist yet. */
  public List<Path> ringFiles() {
    return list(PATTERN);
  }

  private List<Path> list(String pattern) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(path, pattern)) {
      files.forEach(found::add);
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    } catch (IOException e) {
      throw new RingFileException(path + ": cannot list the ring files: " + Reason.of(e), e);
    }
    found.sort(null);
    return found;
  }

  /** Removes the files of rings from a number on. */
  void deleteRingsFrom(int ring) {
    Path first = ringFile(ring);
    delete(ringFiles().stream().filter(file -> file.compareTo(first) >= 0).toList());
  }

  /** Removes what a tap began to make; for the tap that has the folder to itself. */
  void deleteTemporaries() {
    delete(list(TEMPORARY_PATTERN));
  }

  private void delete(List<Path> files) {
    try {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new RingFileException(path + ": cannot remove the ring files: " + Reason.of(e), e);
    }
  }

  /** Removes the ring files and the lock, and the folder if nothing else is in it. */
  public void delete() {
    delete(ringFiles());
    deleteTemporaries();
    delete(List.of(lockFile()));
    try {
      Files.deleteIfExists(path);
    } catch (DirectoryNotEmptyException shared) {
      // What else is in it is not ours.
    } catch (IOException e) {
      throw new RingFileException(path + ": cannot remove the ring folder: " + Reason.of(e), e);
    }
  }
}
