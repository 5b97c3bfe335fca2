// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import dev.flowstone.model.KeyGroups;
import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.ObservingReader;
import dev.flowstone.offheap.ring.ReaderName;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingFileException;
import dev.flowstone.offheap.ring.RingProgress;
import dev.flowstone.offheap.ring.RingReader;
import dev.flowstone.offheap.ring.RingStart;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Function;

/**
 * One incarnation of a ring with its reader. Whoever opened it closes it; one thread.
 *
 * <p>Its lane stands at a TIME record, so that a sender that is started again knows time and counts
 * of what comes next. What it then reads and sends once more the receiver has, and says so.
 */
final class ReadRing implements AutoCloseable {
  /** What a reader keeps for that, of a ring that has no TIME record for long. */
  private static final long MOST_KEPT_SHARE = 4;

  private final RingFile file;
  private final RingReader reader;
  private long releasedPosition;

  private ReadRing(RingFile file, RingReader reader) {
    this.file = file;
    this.reader = reader;
    this.releasedPosition = reader.position();
  }

  /** Where the lane of that name stands, or with what the ring still holds. */
  static ReadRing open(Path path, ForwardOptions options) {
    return open(
        path,
        options,
        file ->
            RingProgress.ofLane(file, options.reader())
                .<RingStart>map(RingStart.Resume::new)
                .orElse(RingStart.JOIN));
  }

  /** As the successor of one that was read to its end. */
  static ReadRing openAfter(RingProgress former, Path path, ForwardOptions options) {
    return open(path, options, _ -> new RingStart.Resume(former));
  }

  private static ReadRing open(
      Path path, ForwardOptions options, Function<RingFile, RingStart> start) {
    RingFile file = RingFile.open(path);
    try {
      requireKnownKeyGroups(file);
      return new ReadRing(file, reader(file, options, start.apply(file)));
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /** The receiver's rings spread key groups as Flowstone's taps do. */
  private static void requireKnownKeyGroups(RingFile file) {
    byte[] usual =
        KeyGroups.ringTable(file.identity().maxParallelism(), file.identity().ringCount());
    if (!Arrays.equals(usual, file.keyGroupTable())) {
      throw new RingFileException(
          file.path()
              + ": this tap spreads key groups over its rings in a way of its own, which tap receive"
              + " cannot make its rings for");
    }
  }

  private static RingReader reader(RingFile file, ForwardOptions options, RingStart start) {
    ReaderName name = options.reader();
    return options.observing()
        ? new ObservingReader(file, name, start, RingReader.USUAL_EXPIRY)
        : new GatingReader(file, name, start, RingReader.USUAL_EXPIRY);
  }

  RingFile file() {
    return file;
  }

  RingReader reader() {
    return reader;
  }

  /** After a run was copied: whether the copy is whole. */
  boolean isCopyWhole() {
    return !(reader instanceof ObservingReader observing) || observing.isRunIntact();
  }

  /** All before the TIME record that was read just now has been sent. */
  void sentUpToClock() {
    release(reader.position() - 1);
  }

  /** All that was read has been sent. */
  void sentAll() {
    if (reader.position() - releasedPosition > file.identity().slotCount() / MOST_KEPT_SHARE) {
      release(reader.position());
    }
  }

  private void release(long position) {
    releasedPosition = position;
    switch (reader) {
      case GatingReader gating -> gating.release(position);
      case ObservingReader observing -> observing.tell(position);
    }
  }

  /** Gives the lane up: nobody comes back to it. */
  void leave() {
    reader.leave();
  }

  /** Leaves the lane, so that a sender that is started again finds its place. */
  @Override
  public void close() {
    try {
      reader.close();
    } finally {
      file.close();
    }
  }
}
