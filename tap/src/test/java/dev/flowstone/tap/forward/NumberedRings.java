// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingProgress;
import dev.flowstone.offheap.ring.RingReader;
import dev.flowstone.offheap.ring.RingStart;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the rings of a receiver as a job does, over all its starts, and holds the numbered packets
 * against their order: none comes twice, each ring's numbers only grow, times are those of the tap.
 */
final class NumberedRings implements AutoCloseable {
  private static final int MOST = 512;

  private final RingDirectory directory;
  private final NumberedTap tap;
  private final Map<Integer, RingFile> files = new HashMap<>();
  private final Map<Integer, GatingReader> readers = new HashMap<>();
  private final Map<Integer, Integer> latest = new HashMap<>();
  private long packets;

  /**
   * @param tap where the packets come from
   */
  NumberedRings(RingDirectory directory, NumberedTap tap) {
    this.directory = directory;
    this.tap = tap;
  }

  /** Reads on; a ring that was made anew is read from where its predecessor ended. */
  void read(int ringCount) {
    for (int ring = 0; ring < ringCount; ring++) {
      if (!files.containsKey(ring)) {
        open(ring, Optional.empty());
      }
      drain(ring);
      if (files.get(ring).isReplaced()) {
        RingProgress progress = readers.get(ring).progress();
        files.get(ring).close();
        open(ring, Optional.of(progress));
        drain(ring);
      }
    }
  }

  private void open(int ring, Optional<RingProgress> former) {
    RingFile file = RingFile.open(directory.ringFile(ring));
    files.put(ring, file);
    RingStart start = former.<RingStart>map(RingStart.Resume::new).orElse(RingStart.OLDEST);
    readers.put(ring, new GatingReader(file, "job", start));
  }

  private void drain(int ring) {
    GatingReader reader = readers.get(ring);
    while (true) {
      switch (reader.poll(MOST)) {
        case PACKETS -> take(ring, reader);
        case CLOCK -> {}
        case NOTHING, END -> {
          reader.release(reader.position());
          assertThat(reader.unexplainedPackets()).as("unexplained in ring %d", ring).isZero();
          assertThat(reader.isMissedUnknown()).isFalse();
          return;
        }
      }
    }
  }

  private void take(int ring, RingReader reader) {
    for (int i = 0; i < reader.runCount(); i++) {
      long offset = reader.file().slotOffset(reader.runPosition() + i);
      int number = PacketRecord.sequence(reader.file().slots(), offset);
      if (number <= latest.getOrDefault(ring, -1)) {
        throw new AssertionError(
            "ring %d: number %d after %d".formatted(ring, number, latest.get(ring)));
      }
      latest.put(ring, number);
      packets++;
      if (reader.time().isTrusted()) {
        long timeNs =
            PacketRecord.timeNs(
                PacketRecord.timeLow(reader.file().slots(), offset), reader.time().baseNs());
        if (timeNs != tap.timeNs(number)) {
          throw new AssertionError(
              "time of %d: expected %d, got %d".formatted(number, tap.timeNs(number), timeNs));
        }
      }
    }
  }

  /** Packets read. */
  long packets() {
    return packets;
  }

  /** What the rings told as lost, in them and before the tap. */
  long lost() {
    return readers.values().stream()
        .mapToLong(reader -> reader.lost().inRing() + reader.lost().beforeTap())
        .sum();
  }

  @Override
  public void close() {
    files.values().forEach(RingFile::close);
  }
}
