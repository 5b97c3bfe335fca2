// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import java.nio.file.Path;
import java.util.Optional;

/** Small rings in a folder. */
record TestRings(RingDirectory directory) implements RingMaker {
  static final int SLOTS_LOG2 = 12;

  TestRings(Path folder) {
    this(new RingDirectory(folder));
  }

  @Override
  public RingSetWriter make(int ringCount, int maxParallelism, int clock) {
    return RingSetWriter.create(
        directory,
        new RingSpecification(
            ringCount, SLOTS_LOG2, clock, maxParallelism, "receive", Optional.empty()),
        WhenFull.DROP);
  }
}
