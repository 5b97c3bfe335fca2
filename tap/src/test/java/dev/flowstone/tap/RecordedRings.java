// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap;

import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.raw.PacketSource;
import java.nio.file.Path;
import java.util.Optional;

/** Rings that a tap has filled and ended, with room for all of it. */
public final class RecordedRings {
  public static final int RINGS = 2;
  public static final int KEY_GROUPS = 128;
  private static final long SLOT_BYTES = 64;

  /** Control records, and what a producer keeps free. */
  private static final long MORE_SLOTS = 1 << 12;

  private RecordedRings() {}

  /** Returns when all of it is there. */
  public static void fill(Path folder, PacketSource source, long packets) {
    fill(folder, RINGS, source, packets);
  }

  /** So many rings. */
  public static void fill(Path folder, int rings, PacketSource source, long packets) {
    fill(folder, rings, source, packets, Pacer.unpaced(), () -> {});
  }

  /**
   * Fills them while others read.
   *
   * @param begun is told when the rings are there
   */
  public static void fill(
      Path folder, PacketSource source, long packets, Pacer pacer, Runnable begun) {
    fill(folder, RINGS, source, packets, pacer, begun);
  }

  /** So many rings, while others read. */
  public static void fill(
      Path folder, int ringCount, PacketSource source, long packets, Pacer pacer, Runnable begun) {
    RingSpecification rings =
        new RingSpecification(
            ringCount,
            RingSpecification.slotsLog2ForBytes((2 * packets + MORE_SLOTS) * SLOT_BYTES),
            source.clock(),
            KEY_GROUPS,
            "test",
            Optional.empty());
    try (RingSetWriter writer =
        RingSetWriter.create(new RingDirectory(folder), rings, WhenFull.DROP)) {
      begun.run();
      new TapLoop(source, writer, ParserProfile.SOFTWARE, pacer).run();
    }
  }
}
