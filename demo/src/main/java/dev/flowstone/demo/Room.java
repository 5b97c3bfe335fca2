// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What a folder has room for.
 *
 * @param fileSystem its type, as the kernel names it
 */
record Room(Path folder, String fileSystem, long freeBytes) {
  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");

  static Room in(Path folder) throws IOException {
    FileStore store = Files.getFileStore(folder);
    return new Room(folder, store.type(), store.getUsableSpace());
  }

  /** Throws if what is needed is not free; says what it is for, and what helps. */
  void require(long bytes, String purpose, String remedy) throws IOException {
    if (bytes > freeBytes) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%s want %,d MiB in %s, where %,d MiB are free; %s",
              purpose,
              mebibytes(bytes),
              folder,
              freeBytes >> 20,
              remedy));
    }
  }

  /** What to say of messages, as many as these at most, that go there. */
  Optional<String> warningOf(long messageBytes) {
    if (IN_MEMORY.contains(fileSystem)) {
      return Optional.of(
          String.format(
              Locale.ROOT,
              "%s is in memory (%s), not on a disk: Kafka's messages take up to %,d MiB of it;"
                  + " --data DIR puts them elsewhere",
              folder,
              fileSystem,
              mebibytes(messageBytes)));
    }
    return messageBytes > freeBytes
        ? Optional.of(
            String.format(
                Locale.ROOT,
                "%s has %,d MiB free, and a demo without end keeps up to %,d MiB of messages there;"
                    + " --seconds N ends it before, --data DIR puts them elsewhere",
                folder,
                freeBytes >> 20,
                mebibytes(messageBytes)))
        : Optional.empty();
  }

  private static long mebibytes(long bytes) {
    return Math.ceilDiv(bytes, 1L << 20);
  }
}
