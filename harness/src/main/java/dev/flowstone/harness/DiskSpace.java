// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The space of the file system that has a folder.
 *
 * @param fileSystem its type, as the kernel names it
 */
public record DiskSpace(Path folder, String fileSystem, long freeBytes) {

  public static DiskSpace of(Path folder) throws IOException {
    FileStore store = Files.getFileStore(folder);
    return new DiskSpace(folder, store.type(), store.getUsableSpace());
  }

  /**
   * Throws if less is free.
   *
   * @param purpose what requires the bytes, in the plural
   */
  public void require(long bytes, String purpose, String remedy) throws IOException {
    if (bytes > freeBytes) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%s: %s require %,d MiB, %,d MiB are free; %s",
              folder,
              purpose,
              Math.ceilDiv(bytes, 1L << 20),
              freeBytes >> 20,
              remedy));
    }
  }
}
