// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A hugetlbfs with reserved pages for one test class. Closing it unmounts the file system and
 * restores the number of reserved pages.
 */
final class HugePageMount implements AutoCloseable {
  private static final Path RESERVED =
      Path.of("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages");
  private static final int PAGES = 16;

  private final Path folder;
  private final long reservedBefore;

  private HugePageMount(Path folder, long reservedBefore) {
    this.folder = folder;
    this.reservedBefore = reservedBefore;
  }

  /** Mounts one; skips the tests if this process is not allowed to, or memory is too fragmented. */
  static HugePageMount make() throws IOException {
    assumeTrue(
        Files.isWritable(RESERVED), "SKIPPED: cannot reserve huge pages of 2 MiB; run as root");
    long before = reserved();
    HugePageMount made = new HugePageMount(Files.createTempDirectory("flowstone-huge-"), before);
    try {
      reserve(before + PAGES);
      assumeTrue(
          reserved() == before + PAGES,
          "SKIPPED: the kernel cannot reserve " + PAGES + " more huge pages of 2 MiB");
      assumeTrue(
          succeeds("mount", "-t", "hugetlbfs", "-o", "pagesize=2M", "none", "" + made.folder),
          "SKIPPED: cannot mount hugetlbfs; run as root");
      return made;
    } catch (IOException | RuntimeException e) {
      made.restore();
      throw e;
    }
  }

  Path folder() {
    return folder;
  }

  private static long reserved() throws IOException {
    return Long.parseLong(Files.readString(RESERVED).strip());
  }

  private static void reserve(long pages) throws IOException {
    Files.writeString(RESERVED, Long.toString(pages));
  }

  private static boolean succeeds(String... command) throws IOException {
    return new ProcessBuilder(command).inheritIO().start().onExit().join().exitValue() == 0;
  }

  private void restore() throws IOException {
    Files.delete(folder);
    reserve(reservedBefore);
  }

  @Override
  public void close() throws IOException {
    if (!succeeds("umount", "" + folder)) {
      throw new IOException("cannot unmount " + folder);
    }
    restore();
  }
}
