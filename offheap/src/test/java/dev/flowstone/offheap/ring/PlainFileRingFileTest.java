// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class PlainFileRingFileTest extends RingFileContractTest {
  @Override
  Path newFolder() throws IOException {
    return Files.createTempDirectory("flowstone-test-");
  }
}
