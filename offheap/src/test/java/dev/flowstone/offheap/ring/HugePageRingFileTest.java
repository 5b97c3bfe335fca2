// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

class HugePageRingFileTest extends RingFileContractTest {
  HugePageRingFileTest() {
    super(RingFolderKind.HUGE_PAGES);
  }
}
