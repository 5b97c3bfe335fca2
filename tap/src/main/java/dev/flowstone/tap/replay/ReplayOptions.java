// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import java.nio.file.Path;
import java.util.List;

/**
 * What to replay.
 *
 * @param files capture files, in this order
 * @param laps how often; {@link #FOREVER} without end. From the second lap on, times go on where
 *     the lap before ended.
 */
public record ReplayOptions(List<Path> files, int laps) {
  public static final int FOREVER = 0;

  /** Each file stays open. */
  public static final int MAX_FILES = 10_000;

  public ReplayOptions {
    files = List.copyOf(files);
    if (files.isEmpty() || files.size() > MAX_FILES) {
      throw new IllegalArgumentException(
          "replay takes from 1 to " + MAX_FILES + " capture files: files=" + files.size());
    }
    if (laps < FOREVER) {
      throw new IllegalArgumentException(
          "loop must be 0 (forever) or the number of laps: loop=" + laps);
    }
  }

  public static ReplayOptions once(Path... files) {
    return new ReplayOptions(List.of(files), 1);
  }
}
