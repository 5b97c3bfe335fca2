// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A new folder for rings, in shared memory where there is some. Deletes it when closed. */
record RingFolder(Path path) implements AutoCloseable {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final String PREFIX = "flowstone-end-to-end-";

  static RingFolder create() throws IOException {
    return new RingFolder(
        Files.isWritable(SHARED_MEMORY)
            ? Files.createTempDirectory(SHARED_MEMORY, PREFIX)
            : Files.createTempDirectory(PREFIX));
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
