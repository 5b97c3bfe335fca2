// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import dev.flowstone.model.abi.ReceivedBooksLayout;
import dev.flowstone.model.abi.ReceivedRingLayout;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.offheap.ring.RingLineage;
import dev.flowstone.tap.datagram.SenderRun;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** What a former receiver left in its books, as far as it is sound. */
final class FormerBooks {
  private final ByteBuffer bytes;

  private FormerBooks(ByteBuffer bytes) {
    this.bytes = bytes.order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Those of a ring folder. What are no books, or of another release, knows nothing. */
  static FormerBooks read(Path folder) {
    FormerBooks none = new FormerBooks(ByteBuffer.allocate(ReceivedBooks.sizeBytes(0)));
    try {
      byte[] read = Files.readAllBytes(ReceivedBooks.path(folder));
      FormerBooks books = new FormerBooks(ByteBuffer.wrap(read));
      return books.areSound() ? books : none;
    } catch (IOException unreadable) {
      return none;
    }
  }

  private boolean areSound() {
    return bytes.capacity() >= ReceivedBooks.sizeBytes(0)
        && word(ReceivedBooksLayout.MAGIC_OFFSET) == ReceivedBooksLayout.MAGIC
        && number(ReceivedBooksLayout.VERSION_OFFSET) == ReceivedBooksLayout.VERSION
        && ringCount() >= 1
        && ringCount() <= RingFileHeaderLayout.MAX_RINGS
        && bytes.capacity() >= ReceivedBooks.sizeBytes(ringCount());
  }

  private int ringCount() {
    return number(ReceivedBooksLayout.RING_COUNT_OFFSET);
  }

  /** Who was listened to last. */
  Optional<HeardSender> sender() {
    long startedNs = word(ReceivedBooksLayout.RUN_STARTED_NS_OFFSET);
    return startedNs == 0
        ? Optional.empty()
        : Optional.of(
            new HeardSender(
                new SenderRun(
                    word(ReceivedBooksLayout.RUN_OFFSET),
                    startedNs,
                    number(ReceivedBooksLayout.READER_OFFSET)),
                word(ReceivedBooksLayout.STREAM_TAP_OFFSET)));
  }

  /**
   * How far a ring of the sender's was followed.
   *
   * @param lineage of the ring here, which knows how much the rings were offered that it replaced
   */
  Optional<SenderPlace> place(int ring, RingLineage lineage) {
    return ring < ringCount() ? placeAt(ReceivedBooks.sizeBytes(ring), lineage) : Optional.empty();
  }

  private Optional<SenderPlace> placeAt(long at, RingLineage lineage) {
    long state = word(at + ReceivedRingLayout.STATE_OFFSET);
    boolean hasGap = state == ReceivedRingLayout.WHOLE_WITH_GAP;
    if (!hasGap && state != ReceivedRingLayout.WHOLE) {
      return Optional.empty();
    }
    long incarnation = word(at + ReceivedRingLayout.RING_INCARNATION_OFFSET);
    return lineage.ancestors().stream()
        .filter(ancestor -> ancestor.incarnation() == incarnation)
        .findFirst()
        .map(
            followed ->
                new SenderPlace(
                    word(at + ReceivedRingLayout.STREAM_OFFSET),
                    word(at + ReceivedRingLayout.INCARNATION_OFFSET),
                    word(at + ReceivedRingLayout.PACKETS_BESIDE_OFFSET) + followed.offeredPackets(),
                    word(at + ReceivedRingLayout.LOST_BEFORE_TAP_OFFSET),
                    word(at + ReceivedRingLayout.FIRST_SEQUENCE_OFFSET),
                    hasGap ? Optional.of(gap(at)) : Optional.empty()));
  }

  private SenderPlace.Gap gap(long at) {
    return new SenderPlace.Gap(
        word(at + ReceivedRingLayout.GAP_INCARNATION_OFFSET),
        word(at + ReceivedRingLayout.GAP_KNOWN_PACKETS_OFFSET));
  }

  private int number(long offset) {
    return bytes.getInt((int) offset);
  }

  private long word(long offset) {
    return bytes.getLong((int) offset);
  }
}
