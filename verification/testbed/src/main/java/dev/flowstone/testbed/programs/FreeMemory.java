// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.programs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the kernel could still give to programs; rings in shared memory come out of it, too. */
public final class FreeMemory {
  private static final String AVAILABLE = "MemAvailable:";
  private static final int KIBIBYTE = 1024;

  private FreeMemory() {}

  public static long bytes() throws IOException {
    return Files.readAllLines(Path.of("/proc/meminfo")).stream()
        .filter(line -> line.startsWith(AVAILABLE))
        .mapToLong(line -> KIBIBYTE * Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow(() -> new IOException("/proc/meminfo has no " + AVAILABLE));
  }
}
