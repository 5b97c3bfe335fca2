// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Where a demo writes: these folders are there before it and stay.
 *
 * @param data for the broker's messages and all other files
 * @param rings in memory, where the machine has a place for that
 */
record DemoPlaces(Path data, Path rings) {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  static DemoPlaces of(Optional<Path> data) {
    Path folder = data.orElseGet(() -> Path.of(System.getProperty("java.io.tmpdir")));
    if (!Files.isDirectory(folder) || !Files.isWritable(folder)) {
      throw new IllegalArgumentException(
          folder + ": no such folder, or no right to write there; name another with --data");
    }
    return new DemoPlaces(folder, Files.isWritable(SHARED_MEMORY) ? SHARED_MEMORY : folder);
  }

  List<Path> all() {
    return data.equals(rings) ? List.of(data) : List.of(rings, data);
  }
}
