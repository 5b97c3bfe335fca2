// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment;

import dev.flowstone.harness.DiskSpace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** Reports once that a folder lacks space for the next checkpoint, and once that it has space. */
public final class DiskWatch {
  /** With less, writes of small files fail, too. */
  static final long MIN_FREE_BYTES = 1 << 20;

  private final Path folder;
  private boolean isFull;

  public DiskWatch(Path folder) {
    this.folder = folder;
  }

  /**
   * Returns a line if the disk has become full or has space again.
   *
   * @param checkpointBytes of the latest checkpoint: the next one is about as large
   */
  public Optional<String> news(long checkpointBytes) {
    try {
      return news(DiskSpace.of(folder).freeBytes(), Math.max(MIN_FREE_BYTES, checkpointBytes));
    } catch (IOException unreadable) {
      // Checkpoints fail then, and Flink reports why.
      return Optional.empty();
    }
  }

  /** Twice the space ends the report, so that a disk at its limit is not reported every second. */
  Optional<String> news(long freeBytes, long requiredBytes) {
    if (!isFull && freeBytes < requiredBytes) {
      isFull = true;
      return Optional.of(
          String.format(
              Locale.ROOT,
              "%s: disk is full: %,d bytes are free, the next checkpoint requires %,d; checkpoints"
                  + " fail until you free space",
              folder,
              freeBytes,
              requiredBytes));
    }
    if (isFull && freeBytes >= 2 * requiredBytes) {
      isFull = false;
      return Optional.of(
          String.format(
              Locale.ROOT, "%s: disk has space again: %,d bytes are free", folder, freeBytes));
    }
    return Optional.empty();
  }
}
