// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The file systems that ring files lie on. */
enum RingFolderKind {
  PLAIN_FILES {
    @Override
    Path newFolder() throws IOException {
      return Files.createTempDirectory(PREFIX);
    }
  },

  SHARED_MEMORY {
    @Override
    Path newFolder() throws IOException {
      Path mount = Path.of("/dev/shm");
      assumeTrue(Files.isWritable(mount), "SKIPPED: /dev/shm is not there or not writable");
      return Files.createTempDirectory(mount, PREFIX);
    }
  },

  /** Where one is mounted with free pages. */
  HUGE_PAGES {
    @Override
    Path newFolder() throws IOException {
      Optional<Path> mount = writableHugeMount();
      assumeTrue(
          mount.isPresent() && freeHugePages() >= 16,
          "SKIPPED: no writable hugetlbfs with 16 free pages (sysctl vm.nr_hugepages=64; mount -t"
              + " hugetlbfs none /mnt/huge)");
      return Files.createTempDirectory(mount.orElseThrow(), PREFIX);
    }
  };

  private static final String PREFIX = "flowstone-test-";

  /** An empty folder there; skips the test where there is no such file system. */
  abstract Path newFolder() throws IOException;

  private static Optional<Path> writableHugeMount() throws IOException {
    return Files.readAllLines(Path.of("/proc/mounts")).stream()
        .map(line -> List.of(line.split(" ")))
        .filter(fields -> fields.get(2).equals("hugetlbfs"))
        .map(fields -> Path.of(fields.get(1)))
        .filter(Files::isWritable)
        .findFirst();
  }

  private static long freeHugePages() throws IOException {
    return Files.readAllLines(Path.of("/proc/meminfo")).stream()
        .filter(line -> line.startsWith("HugePages_Free:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElse(0);
  }
}
