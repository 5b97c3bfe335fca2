// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.offheap.FileLock;
import dev.flowstone.offheap.NativeCallException;
import dev.flowstone.offheap.Reason;
import dev.flowstone.offheap.ring.RingDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Folders of demos that were killed: nobody holds their locks any more. What a demo kept on purpose
 * has none, and is left alone.
 */
final class Leftovers {
  static final String PREFIX = "flowstone-demo-";

  /** In each folder of a demo, taken while it lives: by whoever sees it, in any container. */
  static final String LOCK = "demo.lock";

  private static final int LONGEST_PID_DIGITS = 9;

  private Leftovers() {}

  /** Removes them, and says so. */
  static void sweep(List<Path> places) {
    places.forEach(place -> find(place).forEach(Leftovers::remove));
  }

  private static List<Path> find(Path place) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(place, PREFIX + "*")) {
      folders.forEach(folder -> found.add(folder));
    } catch (IOException e) {
      // What cannot be looked at is another one's.
      return List.of();
    }
    found.removeIf(folder -> !isLeft(folder));
    return found;
  }

  private static boolean isLeft(Path folder) {
    try {
      if (!Files.isDirectory(folder) || new RingDirectory(folder).hasTap()) {
        return false;
      }
      Path lock = folder.resolve(LOCK);
      return Files.exists(lock) ? !FileLock.isTaken(lock) : isOfNobody(folder);
    } catch (NativeCallException unseen) {
      return false;
    }
  }

  /** Rings of a version that took no lock: they are named by their demo's process. */
  private static boolean isOfNobody(Path folder) {
    OptionalLong pid = pid(folder.getFileName().toString().substring(PREFIX.length()));
    return pid.isPresent()
        && ProcessHandle.of(pid.getAsLong()).isEmpty()
        && !new RingDirectory(folder).ringFiles().isEmpty();
  }

  private static OptionalLong pid(String text) {
    return text.matches("[0-9]{1," + LONGEST_PID_DIGITS + "}")
        ? OptionalLong.of(Long.parseLong(text))
        : OptionalLong.empty();
  }

  private static void remove(Path folder) {
    try {
      long bytes = bytesIn(folder);
      ScratchFolder.deleteLeft(folder);
      System.out.printf(
          Locale.ROOT, "removed what a killed demo left: %s (%,d MiB)%n", folder, bytes >> 20);
    } catch (IOException | UncheckedIOException e) {
      System.err.println(
          "warning: a killed demo left " + folder + ", which cannot be removed: " + Reason.of(e));
    }
  }

  private static long bytesIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }
}
