// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

class SharedMemoryRingFileTest extends RingFileContractTest {
  SharedMemoryRingFileTest() {
    super(RingFolderKind.SHARED_MEMORY);
  }
}
