// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** On hugetlbfs, where one is mounted with free pages. */
class HugePageRingFileTest extends RingFileContractTest {
  @Override
  Path newFolder() throws IOException {
    Optional<Path> mount = writableMount();
    assumeTrue(
        mount.isPresent() && freePages() >= 16,
        "SKIPPED: no writable hugetlbfs with 16 free pages (sysctl vm.nr_hugepages=64; mount -t"
            + " hugetlbfs none /mnt/huge)");
    return Files.createTempDirectory(mount.orElseThrow(), "flowstone-test-");
  }

  private static Optional<Path> writableMount() throws IOException {
    return Files.readAllLines(Path.of("/proc/mounts")).stream()
        .map(line -> List.of(line.split(" ")))
        .filter(fields -> fields.get(2).equals("hugetlbfs"))
        .map(fields -> Path.of(fields.get(1)))
        .filter(Files::isWritable)
        .findFirst();
  }

  private static long freePages() throws IOException {
    return Files.readAllLines(Path.of("/proc/meminfo")).stream()
        .filter(line -> line.startsWith("HugePages_Free:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElse(0);
  }
}
