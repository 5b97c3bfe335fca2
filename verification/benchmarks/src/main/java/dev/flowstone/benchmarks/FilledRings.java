// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.TapLoop;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Ring files with distinct packets in them, all that will ever come. Whoever made them closes them;
 * the files are gone then.
 */
final class FilledRings implements AutoCloseable {
  static final int RING_COUNT = 2;

  private final ScratchFolder folder;

  private FilledRings(ScratchFolder folder) {
    this.folder = folder;
  }

  static FilledRings with(Mix mix, long packets) throws IOException {
    try (PacketSource source = mix.open(packets)) {
      return with(source, packets);
    }
  }

  /**
   * Takes all that a source has.
   *
   * @param packets how many that is
   */
  static FilledRings with(PacketSource source, long packets) throws IOException {
    ScratchFolder folder = ScratchFolder.inMemory("bench");
    try {
      fill(new RingDirectory(folder.path()), source, packets);
      return new FilledRings(folder);
    } catch (RuntimeException e) {
      folder.close();
      throw e;
    }
  }

  private static void fill(RingDirectory directory, PacketSource source, long packets) {
    Progress.say("filling " + RING_COUNT + " rings with %,d packets".formatted(packets));
    // Three quarters of all packets fit each ring: flows spread unevenly, and nothing may be lost.
    int slotsLog2 = RingSpecification.slotsLog2ForBytes(packets * RingFile.SLOT_BYTES * 3 / 4);
    try (RingSetWriter rings =
        RingSetWriter.create(
            directory,
            new RingSpecification(
                RING_COUNT,
                slotsLog2,
                source.clock(),
                LocalCluster.MAX_PARALLELISM,
                "benchmark",
                Optional.empty()),
            WhenFull.DROP)) {
      rings.populate();
      new TapLoop(source, rings, ParserProfile.SOFTWARE, Pacer.unpaced()).run();
      requireNothingLost(rings);
    }
  }

  private static void requireNothingLost(RingSetWriter rings) {
    for (int ring = 0; ring < rings.ringCount(); ring++) {
      long dropped = rings.ringFile(ring).counters().droppedPackets();
      if (dropped > 0) {
        throw new IllegalStateException(
            "ring " + ring + " is too small: " + dropped + " packets found no room");
      }
    }
  }

  Path path() {
    return folder.path();
  }

  List<Path> files() {
    return new RingDirectory(folder.path()).ringFiles();
  }

  @Override
  public void close() {
    folder.close();
  }
}
