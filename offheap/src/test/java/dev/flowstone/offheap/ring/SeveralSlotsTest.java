// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ring.RingReader.Poll;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rings whose entries have several slots each, as frames and datagrams will: first word the number
 * of slots, second word the entry's number, then bytes that look like anything, also like TIME
 * records.
 */
@Timeout(30)
class SeveralSlotsTest {
  private static final int SLOTS_LOG2 = 10;
  private static final long SLOTS = 1L << SLOTS_LOG2;
  private static final int MOST_ENTRY_SLOTS = 7;
  private static final long SECOND_NS = 1_000_000_000L;
  private static final EntryLayout LAYOUT =
      (slots, position) -> slots.memory().get(RingHeader.INT, slots.offset(position));

  @TempDir private Path folder;
  private final Random random = new Random(7);
  private RingSetWriter writer;
  private RingFile file;
  private RingSlots slots;
  private long position;
  private long controls;
  private int number;

  @BeforeEach
  void begin() {
    RingDirectory directory = new RingDirectory(folder);
    writer =
        RingSetWriter.create(
            directory,
            new RingSpecification(
                1, SLOTS_LOG2, RingClock.SYNTHETIC, 128, "test", Optional.empty()),
            WhenFull.DROP);
    file = RingFile.open(directory.ringFile(0));
    slots = RingSlots.of(file);
  }

  @AfterEach
  void end() {
    file.close();
    writer.close();
  }

  private void describe(long at, int kind) {
    slots
        .memory()
        .set(
            RingHeader.INT,
            slots.offset(at) + PacketRecordLayout.DESCRIPTOR_OFFSET,
            kind << PacketRecordLayout.KIND_SHIFT
                | slots.generationOf(at) << PacketRecordLayout.GENERATION_SHIFT);
  }

  private void tellTime(long timeNs) {
    slots.memory().asSlice(slots.offset(position), RingFile.SLOT_BYTES).fill((byte) 0);
    slots.memory().set(RingHeader.LONG, slots.offset(position), timeNs);
    slots.memory().set(RingHeader.LONG, slots.offset(position) + Long.BYTES, number);
    describe(position, RecordKind.TIME);
    file.words().addControl(controls++, position);
    position++;
  }

  private void writeEntry(int entrySlots) {
    while (slots.offset(position) / RingFile.SLOT_BYTES + entrySlots > SLOTS) {
      describe(position++, RecordKind.FREE);
    }
    for (int slot = 0; slot < entrySlots; slot++) {
      byte[] noise = new byte[RingFile.SLOT_BYTES];
      random.nextBytes(noise);
      slots
          .memory()
          .asSlice(slots.offset(position + slot), noise.length)
          .copyFrom(MemorySegment.ofArray(noise));
      describe(position + slot, slot == 0 ? RecordKind.IPV4 : RecordKind.TIME);
    }
    slots.memory().set(RingHeader.INT, slots.offset(position), entrySlots);
    slots.memory().set(RingHeader.INT, slots.offset(position) + Integer.BYTES, number++);
    position += entrySlots;
  }

  private void publish() {
    file.words().publishPosition(position);
    file.words().withdrawReserved(position);
  }

  private GatingReader reader() {
    return new GatingReader(
        file, LAYOUT, ReaderName.of("test"), RingStart.OLDEST, RingReader.USUAL_EXPIRY);
  }

  /** The numbers of the entries of a run; each must lie there whole. */
  private List<Integer> numbersOf(RingReader reader) {
    List<Integer> numbers = new ArrayList<>();
    long at = reader.runPosition();
    for (int i = 0; i < reader.runCount(); i++) {
      long offset = slots.offset(at);
      int entrySlots = slots.memory().get(RingHeader.INT, offset);
      assertThat(offset / RingFile.SLOT_BYTES + entrySlots).isLessThanOrEqualTo(SLOTS);
      numbers.add(slots.memory().get(RingHeader.INT, offset + Integer.BYTES));
      at += entrySlots;
    }
    assertThat(at).isLessThanOrEqualTo(reader.position());
    return numbers;
  }

  @Test
  void shouldNeverCutAnEntryOverManyLaps() {
    GatingReader reader = reader();
    List<Integer> read = new ArrayList<>();
    for (int round = 0; round < 300; round++) {
      tellTime(SECOND_NS * (round + 1));
      for (int i = random.nextInt(20); i > 0; i--) {
        writeEntry(1 + random.nextInt(MOST_ENTRY_SLOTS));
      }
      publish();
      Poll found;
      while ((found = reader.poll(1 + random.nextInt(5))) != Poll.NOTHING) {
        if (found == Poll.PACKETS) {
          assertThat(reader.time().baseNs()).isEqualTo(SECOND_NS * (round + 1));
          read.addAll(numbersOf(reader));
        }
      }
      reader.release(reader.position());
    }
    assertThat(position).as("laps").isGreaterThan(5 * SLOTS);
    assertThat(read).isEqualTo(IntStream.range(0, number).boxed().toList());
    assertThat(reader.lost().isNone()).isTrue();
    assertThat(reader.unexplainedPackets()).isZero();
  }

  /** More control records than the header's index names: the reader looks at each entry. */
  @Test
  void shouldNotTakeWhatIsInsideAnEntryForAControlRecord() {
    GatingReader reader = reader();
    for (int i = 0; i < 290; i++) {
      tellTime(SECOND_NS * (i + 1));
      writeEntry(2);
    }
    publish();
    int read = 0;
    Poll found;
    while ((found = reader.poll(100)) != Poll.NOTHING) {
      read += found == Poll.PACKETS ? reader.runCount() : 0;
    }
    assertThat(read).isEqualTo(290);
    assertThat(reader.time().baseNs()).isEqualTo(290 * SECOND_NS);
  }

  /** Each time record is followed by an entry: a lap has more of them than the index names. */
  private void writeManyTimes(int times) {
    for (int i = 0; i < times; i++) {
      tellTime(SECOND_NS * (number + 1));
      writeEntry(1 + random.nextInt(3));
      publish();
    }
  }

  /** From wherever it stands it must read the latest entries, and know how many it missed. */
  private void requireLatestRead(RingReader reader) {
    long accounted = reader.progress().books().accountedPackets();
    long lostBefore = reader.lost().inRing();
    List<Integer> read = new ArrayList<>();
    Poll found;
    while ((found = reader.poll(100)) != Poll.NOTHING) {
      if (found == Poll.PACKETS) {
        read.addAll(numbersOf(reader));
      }
    }
    assertThat(read).hasSizeGreaterThan(250);
    assertThat(read).isEqualTo(IntStream.range(number - read.size(), number).boxed().toList());
    assertThat(accounted + read.size() + reader.lost().inRing() - lostBefore).isEqualTo(number);
    assertThat(reader.unexplainedPackets()).isZero();
  }

  /** The oldest slot may be any slot of an entry. */
  @Test
  void shouldBeginAtAControlRecordAfterLaps() {
    writeManyTimes(1000);
    for (int start = 0; start < 20; start++) {
      writeManyTimes(1);
      requireLatestRead(reader());
      file.lanes().free(0);
    }
  }

  @Test
  void shouldGoOnAtAControlRecordAfterItsLaneExpired() {
    writeManyTimes(10);
    GatingReader gone = reader();
    gone.poll(1);
    gone.poll(1);
    gone.leave();
    for (int start = 0; start < 20; start++) {
      writeManyTimes(start == 0 ? 1000 : 1);
      RingStart resume = new RingStart.Resume(gone.progress());
      requireLatestRead(
          new GatingReader(file, LAYOUT, ReaderName.of("test"), resume, RingReader.USUAL_EXPIRY));
      file.lanes().free(0);
    }
  }

  @Test
  void shouldGoOnAtAControlRecordAfterAnOverrun() {
    ObservingReader observer =
        new ObservingReader(file, LAYOUT, "test", RingStart.OLDEST, RingReader.USUAL_EXPIRY);
    for (int overrun = 0; overrun < 20; overrun++) {
      writeManyTimes(1000);
      requireLatestRead(observer);
      writeManyTimes(1);
      assertThat(observer.poll(1)).isEqualTo(Poll.CLOCK);
      assertThat(observer.poll(1)).isEqualTo(Poll.PACKETS);
      writeManyTimes(1000);
      assertThat(observer.isRunIntact()).isFalse();
    }
  }

  @Test
  void shouldRefuseAnEntryThatGoesOnBeyondWhatIsPublished() {
    GatingReader reader = reader();
    tellTime(SECOND_NS);
    writeEntry(3);
    slots.memory().set(RingHeader.INT, slots.offset(1), 4);
    publish();
    assertThat(reader.poll(10)).isEqualTo(Poll.CLOCK);
    assertThatThrownBy(() -> reader.poll(10))
        .isInstanceOf(RingFileException.class)
        .hasMessageContaining("position 1")
        .hasMessageContaining("beyond what is published");
  }

  /** The reader would stand still for ever. */
  @Test
  void shouldRefuseAnEntryOfNoSlots() {
    GatingReader reader = reader();
    tellTime(SECOND_NS);
    writeEntry(3);
    slots.memory().set(RingHeader.INT, slots.offset(1), 0);
    publish();
    assertThat(reader.poll(10)).isEqualTo(Poll.CLOCK);
    assertThatThrownBy(() -> reader.poll(10))
        .isInstanceOf(RingFileException.class)
        .hasMessageContaining("position 1");
  }
}
