// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import dev.flowstone.connector.fpga.TestTap;

class MemoryRingsTest extends RingCatalogContractTest {
  private final MemoryRings rings = new MemoryRings(1);
  private MemoryRing ring;
  private int numbers;

  @Override
  RingCatalog catalog() {
    return rings;
  }

  @Override
  RingName name() {
    return MemoryRings.name(0);
  }

  @Override
  void startProducer() {
    ring = rings.start(0, SLOTS_LOG2);
    ring.tellTime(TestTap.START_NS);
  }

  @Override
  void offer(int packets) {
    ring.write(numbers, packets, TestTap.START_NS + 1);
    numbers += packets;
  }

  @Override
  void endProducer() {
    ring.end(TestTap.START_NS + 2);
  }

  @Override
  void removeRing() {
    rings.remove(0);
  }
}
