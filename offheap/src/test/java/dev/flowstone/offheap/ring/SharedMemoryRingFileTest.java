// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class SharedMemoryRingFileTest extends RingFileContractTest {
  @Override
  Path newFolder() throws IOException {
    Path mount = Path.of("/dev/shm");
    assumeTrue(Files.isWritable(mount), "SKIPPED: /dev/shm is not writable");
    return Files.createTempDirectory(mount, PREFIX);
  }
}
