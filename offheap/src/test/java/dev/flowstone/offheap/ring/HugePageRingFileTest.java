// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class HugePageRingFileTest extends RingFileContractTest {
  private static HugePageMount mount;

  @BeforeAll
  static void mount() throws IOException {
    mount = HugePageMount.make();
  }

  @AfterAll
  static void unmount() throws IOException {
    if (mount != null) {
      mount.close();
    }
  }

  @Override
  Path newFolder() throws IOException {
    return Files.createTempDirectory(mount.folder(), PREFIX);
  }
}
