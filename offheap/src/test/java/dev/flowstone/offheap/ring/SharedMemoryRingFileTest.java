// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class SharedMemoryRingFileTest extends RingFileContractTest {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  @Override
  Path newFolder() throws IOException {
    assumeTrue(Files.isWritable(SHARED_MEMORY), "SKIPPED: /dev/shm is not there or not writable");
    return Files.createTempDirectory(SHARED_MEMORY, "flowstone-test-");
  }
}
