// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.split;

import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.offheap.ring.PacketBooks;
import dev.flowstone.offheap.ring.RingProgress;
import dev.flowstone.offheap.ring.RingStart;
import dev.flowstone.offheap.ring.RingTime;

class RingSplitSerializerSuiteTest extends StateSerializerSuite<RingSplit> {
  private static final RingProgress PROGRESS =
      new RingProgress(
          0x0123456789abcdefL,
          1_000_000,
          new RingTime(1_700_000_000_000_000_000L, true, false),
          new PacketBooks(true, 999_000, 40, new PacketLoss(12, 3), new PacketLoss(5, 1)));

  RingSplitSerializerSuiteTest() {
    super(RingSplit.class, () -> RingSplitSerializer.INSTANCE);
  }

  @Override
  protected RingSplit[] getTestData() {
    return new RingSplit[] {
      split(RingStart.OLDEST), split(RingStart.LATEST), split(new RingStart.Resume(PROGRESS)),
    };
  }

  private static RingSplit split(RingStart start) {
    return new RingSplit(
        0x0123_4567_89ab_cd03L, new RingName("host-7", "/dev/shm/flowstone", 3), 8, start);
  }
}
