// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.abi.ReceivedBooksLayout;
import dev.flowstone.model.abi.ReceivedRingLayout;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.tap.datagram.DatagramHeader;
import dev.flowstone.tap.datagram.MadeDatagram;
import dev.flowstone.tap.datagram.SenderRun;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReceivedBooksTest {
  private static final SenderPlace PLACE = new SenderPlace(0x1201, 7, 1000, 3, 5, Optional.empty());
  private static final SenderPlace WITH_GAP =
      new SenderPlace(0x1200, 8, 20, 4, 6, Optional.of(new SenderPlace.Gap(6, 500)));

  @TempDir Path folder;

  private TestRings rings;
  private RingSetWriter writer;
  private ReceivedBooks books;

  /** What the books before these knew. */
  private Optional<HeardSender> sender;

  private List<Optional<SenderPlace>> places;

  @BeforeEach
  void make() {
    rings = new TestRings(folder);
    make(2);
  }

  private void make(int ringCount) {
    writer = rings.make(ringCount, 128, RingClock.WALL);
    FormerBooks former = FormerBooks.read(folder);
    sender = former.sender();
    places =
        IntStream.range(0, ringCount)
            .mapToObj(ring -> former.place(ring, writer.ringFile(ring).lineage()))
            .toList();
    books = ReceivedBooks.create(folder, writer, sender, places);
  }

  @AfterEach
  void close() {
    books.close();
    writer.close();
  }

  /** What is known when the next rings are made, by ring. */
  private List<Optional<SenderPlace>> next() {
    return next(2);
  }

  private List<Optional<SenderPlace>> next(int ringCount) {
    close();
    make(ringCount);
    return places;
  }

  private Path file() {
    return folder.resolve("received.books");
  }

  private void put(long offset, long value) throws IOException {
    ByteBuffer word = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    word.putLong(0, value);
    try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
      channel.write(word, offset);
    }
  }

  private void noteBoth() {
    books.note(0, WITH_GAP, 0);
    books.note(1, PLACE, 0);
  }

  private static List<Optional<SenderPlace>> knows(SenderPlace first, SenderPlace second) {
    return List.of(Optional.ofNullable(first), Optional.ofNullable(second));
  }

  @Test
  void shouldKnowNothingOfRingsThatNobodyHasFollowed() {
    assertThat(next()).isEqualTo(knows(null, null));
  }

  @Test
  void shouldSayWhoWasListenedTo() {
    HeardSender first = new HeardSender(new SenderRun(-5, 1_795_219_199_000_000_000L, -7), 0x12);
    HeardSender second = new HeardSender(new SenderRun(6, 1_795_219_200_000_000_000L, 7), 0x13);
    assertThat(sender).isEmpty();
    next();
    assertThat(sender).isEmpty();
    books.note(first);
    next();
    assertThat(sender).contains(first);
    next();
    assertThat(sender).as("also where nobody was heard since").contains(first);
    books.note(second);
    next();
    assertThat(sender).contains(second);
  }

  @Test
  void shouldSayHowFarEachRingWasFollowed() {
    noteBoth();
    assertThat(next()).isEqualTo(knows(WITH_GAP, PLACE));
    books.note(0, PLACE, 0);
    assertThat(next()).isEqualTo(knows(PLACE, PLACE));
  }

  /** As of receivers that were killed before they heard of the sender. */
  @Test
  void shouldKnowItStillWhereNobodyHasAddedToIt() {
    noteBoth();
    next();
    assertThat(next()).isEqualTo(knows(WITH_GAP, PLACE));
  }

  /** Books are not written with each datagram; what came since then the ring itself counts. */
  @Test
  void shouldCountWhatTheRingWasOfferedSince() {
    books.note(1, PLACE, 400);
    try (MadeDatagram datagram = MadeDatagram.ofPackets(0, 0, 7);
        RecordRewriter rewriter = new RecordRewriter(writer)) {
      rewriter.write(1, datagram.memory(), DatagramHeader.BYTES, 7, MadeDatagram.TIME_NS, true);
    }
    assertThat(next())
        .isEqualTo(knows(null, new SenderPlace(0x1201, 7, 607, 3, 5, Optional.empty())));
  }

  @Test
  void shouldNotBelieveWhatItWasKilledInTheMidstOf() throws IOException {
    noteBoth();
    put(ReceivedBooksLayout.SIZE_BYTES + ReceivedRingLayout.STATE_OFFSET, 0);
    assertThat(next()).isEqualTo(knows(null, PLACE));
  }

  /** Such as those of a receiver that was killed between making its rings and its books. */
  @Test
  void shouldKnowItThoughOtherRingsWereMadeInBetween() {
    noteBoth();
    writer.close();
    writer = rings.make(2, 128, RingClock.WALL);
    assertThat(next()).isEqualTo(knows(WITH_GAP, PLACE));
  }

  @Test
  void shouldNotTakeBooksForThoseOfOtherRings() throws IOException {
    noteBoth();
    put(ReceivedBooksLayout.SIZE_BYTES + ReceivedRingLayout.RING_INCARNATION_OFFSET, 77);
    assertThat(next()).isEqualTo(knows(null, PLACE));
  }

  @Test
  void shouldKnowNothingWhereTheRingsAreGone() throws IOException {
    noteBoth();
    Files.delete(rings.directory().ringFile(1));
    assertThat(next()).isEqualTo(knows(WITH_GAP, null));
  }

  @Test
  void shouldKnowNothingOfMoreRingsThanThereWere() {
    noteBoth();
    assertThat(next(3))
        .containsExactly(Optional.of(WITH_GAP), Optional.of(PLACE), Optional.empty());
  }

  /** Half of what they were to be. */
  @Test
  void shouldReplaceWhatAReceiverLeftThatWasKilledWhileItMadeThem() throws IOException {
    noteBoth();
    Files.write(folder.resolve(".received.books.tmp"), new byte[70]);
    assertThat(next()).isEqualTo(knows(WITH_GAP, PLACE));
    assertThat(folder.resolve(".received.books.tmp")).doesNotExist();
  }

  @Test
  void shouldKnowNothingFromFilesThatAreNoBooks() throws IOException {
    noteBoth();
    byte[] sound = Files.readAllBytes(file());
    requireUnknown("another version", ReceivedBooksLayout.VERSION_OFFSET, 2L << Integer.SIZE | 9);
    requireUnknown("another file", ReceivedBooksLayout.MAGIC_OFFSET, 5);
    requireUnknown(
        "too many rings", ReceivedBooksLayout.VERSION_OFFSET, 100_000L << Integer.SIZE | 1);
    Files.write(file(), Arrays.copyOf(sound, 64 + 2 * 72 - 1));
    assertThat(next()).as("cut short").isEqualTo(knows(null, null));
    Files.write(file(), new byte[0]);
    assertThat(next()).as("empty").isEqualTo(knows(null, null));
    Files.delete(file());
    assertThat(next()).as("none").isEqualTo(knows(null, null));
  }

  private void requireUnknown(String what, long offset, long value) throws IOException {
    noteBoth();
    books.note(new HeardSender(new SenderRun(1, 2, 3), 4));
    put(offset, value);
    assertThat(next()).as(what).isEqualTo(knows(null, null));
    assertThat(sender).as(what).isEmpty();
  }
}
