// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.harness.DiskSpace;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The place of the demo's messages, for as long as the demo runs. */
record MessageSpace(DiskSpace disk) {
  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");

  /** What to say of messages, as many as these at most, that go there. */
  Optional<String> warningOf(long messageBytes) {
    if (IN_MEMORY.contains(disk.fileSystem())) {
      return Optional.of(
          String.format(
              Locale.ROOT,
              "%s is in memory (%s), not on a disk: Kafka's messages take up to %,d MiB of it;"
                  + " --data DIR puts them elsewhere",
              disk.folder(),
              disk.fileSystem(),
              mebibytes(messageBytes)));
    }
    return messageBytes > disk.freeBytes()
        ? Optional.of(
            String.format(
                Locale.ROOT,
                "%s has %,d MiB free, and a demo without end keeps up to %,d MiB of messages there;"
                    + " --seconds N ends it before, --data DIR puts them elsewhere",
                disk.folder(),
                disk.freeBytes() >> 20,
                mebibytes(messageBytes)))
        : Optional.empty();
  }

  private static long mebibytes(long bytes) {
    return Math.ceilDiv(bytes, 1L << 20);
  }
}
