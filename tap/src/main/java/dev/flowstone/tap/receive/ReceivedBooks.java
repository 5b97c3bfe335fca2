// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import dev.flowstone.model.abi.ReceivedBooksLayout;
import dev.flowstone.model.abi.ReceivedRingLayout;
import dev.flowstone.offheap.NativeCallException;
import dev.flowstone.offheap.Posix;
import dev.flowstone.offheap.Reason;
import dev.flowstone.offheap.ring.RingFileException;
import dev.flowstone.offheap.ring.RingSetWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;

/**
 * A file beside the rings that says how far each ring of the sender's tap was followed, so that a
 * receiver that is started again can tell what it missed. It holds when the process is killed: how
 * many packets came, which changes all the time, stands in the rings' own headers, and afterwards
 * in the lineage of those that replace them. Closed by whoever made it; one thread.
 */
final class ReceivedBooks implements AutoCloseable {
  private static final String NAME = "received.books";
  private static final String TEMPORARY_NAME = ".received.books.tmp";
  private static final ValueLayout.OfLong U64 =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle WORD = U64.varHandle();
  private static final long BEING_WRITTEN = 0;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment file;

  private ReceivedBooks(Path path, RingSetWriter rings) throws IOException {
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      file = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size(), arena);
    }
    file.set(U32, ReceivedBooksLayout.VERSION_OFFSET, ReceivedBooksLayout.VERSION);
    file.set(U32, ReceivedBooksLayout.RING_COUNT_OFFSET, rings.ringCount());
    for (int ring = 0; ring < rings.ringCount(); ring++) {
      file.set(
          U64,
          sizeBytes(ring) + ReceivedRingLayout.RING_INCARNATION_OFFSET,
          rings.ringFile(ring).identity().incarnation());
    }
    file.set(U64, ReceivedBooksLayout.MAGIC_OFFSET, ReceivedBooksLayout.MAGIC);
  }

  /**
   * Makes the books of new rings in their folder, in place of the former ones: with what these
   * know, so that it is not forgotten should this process be killed before the sender is heard.
   *
   * @param places of the sender's rings, as far as they are known
   */
  static ReceivedBooks create(
      Path folder,
      RingSetWriter rings,
      Optional<HeardSender> sender,
      List<Optional<SenderPlace>> places) {
    Path temporary = folder.resolve(TEMPORARY_NAME);
    try {
      // What a receiver left that died while it made them.
      Files.deleteIfExists(temporary);
      Posix.createAllocated(temporary, wholeBlocks(folder, sizeBytes(rings.ringCount())));
      ReceivedBooks books = new ReceivedBooks(temporary, rings);
      sender.ifPresent(books::note);
      for (int ring = 0; ring < places.size(); ring++) {
        int each = ring;
        places.get(ring).ifPresent(place -> books.note(each, place, 0));
      }
      Files.move(temporary, path(folder), StandardCopyOption.ATOMIC_MOVE);
      return books;
    } catch (IOException | NativeCallException e) {
      throw new RingFileException(
          path(folder) + ": cannot note there what is received: " + Reason.of(e), e);
    }
  }

  static Path path(Path folder) {
    return folder.resolve(NAME);
  }

  /** Of a file system, as of a ring file. */
  private static long wholeBlocks(Path folder, long bytes) throws IOException {
    long blockBytes = Files.getFileStore(folder).getBlockSize();
    return Math.ceilDiv(bytes, blockBytes) * blockBytes;
  }

  /** Notes who is listened to. */
  void note(HeardSender sender) {
    file.set(U64, ReceivedBooksLayout.STREAM_TAP_OFFSET, sender.tap());
    file.set(U32, ReceivedBooksLayout.READER_OFFSET, sender.run().reader());
    WORD.setVolatile(file, ReceivedBooksLayout.RUN_OFFSET, sender.run().id());
    WORD.setVolatile(file, ReceivedBooksLayout.RUN_STARTED_NS_OFFSET, sender.run().startedNs());
  }

  /** Notes that the run has reported the end: a replay of it must not end the next receiver. */
  void noteEnd() {
    WORD.setVolatile(file, ReceivedBooksLayout.RUN_OFFSET, HeardSender.ENDED_RUN);
  }

  /**
   * Notes how far a ring was followed.
   *
   * @param offeredPackets what the receiver's ring was offered until there
   */
  void note(int ring, SenderPlace place, long offeredPackets) {
    long at = sizeBytes(ring);
    WORD.setVolatile(file, at + ReceivedRingLayout.STATE_OFFSET, BEING_WRITTEN);
    file.set(U64, at + ReceivedRingLayout.STREAM_OFFSET, place.stream());
    file.set(U64, at + ReceivedRingLayout.INCARNATION_OFFSET, place.incarnation());
    file.set(U64, at + ReceivedRingLayout.PACKETS_BESIDE_OFFSET, place.packets() - offeredPackets);
    file.set(U64, at + ReceivedRingLayout.LOST_BEFORE_TAP_OFFSET, place.lostBeforeTap());
    file.set(U64, at + ReceivedRingLayout.FIRST_SEQUENCE_OFFSET, place.firstSequence());
    place.gap().ifPresent(gap -> putGap(at, gap));
    WORD.setVolatile(
        file,
        at + ReceivedRingLayout.STATE_OFFSET,
        place.gap().isPresent() ? ReceivedRingLayout.WHOLE_WITH_GAP : ReceivedRingLayout.WHOLE);
  }

  private void putGap(long at, SenderPlace.Gap gap) {
    file.set(U64, at + ReceivedRingLayout.GAP_INCARNATION_OFFSET, gap.incarnation());
    file.set(U64, at + ReceivedRingLayout.GAP_KNOWN_PACKETS_OFFSET, gap.knownPackets());
  }

  /** Of books of so many rings, and so where the entry of the next one begins. */
  static int sizeBytes(int rings) {
    return (int) (ReceivedBooksLayout.SIZE_BYTES + rings * ReceivedRingLayout.SIZE_BYTES);
  }

  @Override
  public void close() {
    arena.close();
  }
}
