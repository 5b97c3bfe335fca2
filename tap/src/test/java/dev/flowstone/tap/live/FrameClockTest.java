// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import static dev.flowstone.tap.live.FrameClock.MIN_STAMPED_IN_A_ROW;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RawPacketFlag;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ParserLibrary;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.raw.RawPacketBatch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Cards that stamp all frames, some and none; frames are headers as the kernel writes them. */
class FrameClockTest {
  private static final int HARDWARE_STAMP = 0x80000000;
  private static final int SECONDS_OFFSET = 4;
  private static final int NANOSECONDS_OFFSET = 8;
  private static final int STATUS_OFFSET = 20;
  private static final int FRAME_BYTES = 64;
  private static final int FRAMES = 10_000;

  @TempDir Path folder;

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment frame = arena.allocate(FRAME_BYTES, 16);
  private final KernelBlock blocks = new KernelBlock(frame);
  private final FrameClock card = new FrameClock(blocks, true);

  @AfterEach
  void free() {
    arena.close();
  }

  private void look(FrameClock clock, int seconds, boolean byCard) {
    frame.set(JAVA_INT, SECONDS_OFFSET, seconds);
    frame.set(JAVA_INT, NANOSECONDS_OFFSET, 9);
    frame.set(JAVA_INT, STATUS_OFFSET, byCard ? HARDWARE_STAMP : 0);
    clock.look(0);
  }

  @Test
  void shouldDateFramesByTheCardFromItsFirstStampOn() {
    look(card, 1, false);
    assertThat(card.timeNs()).as("nothing better").isEqualTo(1_000_000_009L);
    look(card, 500, true);
    assertThat(card.timeNs()).isEqualTo(500_000_000_009L);
    look(card, 2, false);
    assertThat(card.timeNs()).as("the card's latest").isEqualTo(500_000_000_009L);
  }

  @Test
  void shouldTimeFramesOfACardThatStampsAll() {
    for (int i = 0; i < 3; i++) {
      look(card, i, true);
      assertThat(card.flags()).isZero();
    }
    assertThat(card.otherClockFrames()).isZero();
  }

  @Test
  void shouldCountFramesWithoutStampOnce() {
    look(card, 1, false);
    look(card, 2, true);
    look(card, 3, false);
    assertThat(card.takeOtherClockFrames()).isEqualTo(2);
    assertThat(card.takeOtherClockFrames()).isZero();
    assertThat(card.otherClockFrames()).isEqualTo(2);
  }

  @Test
  void shouldTrustACardAgainThatStampsManyFramesInARow() {
    look(card, 1, true);
    for (int gap = 0; gap < 2; gap++) {
      look(card, 2, false);
      assertThat(card.flags()).isEqualTo(RawPacketFlag.UNTIMED);
      for (int i = 1; i < MIN_STAMPED_IN_A_ROW; i++) {
        look(card, 3, true);
        assertThat(card.flags()).as("%d in a row", i).isEqualTo(RawPacketFlag.UNTIMED);
        assertThat(card.timeNs()).isEqualTo(3_000_000_009L);
      }
    }
    look(card, 4, true);
    assertThat(card.flags()).isZero();
  }

  @Test
  void shouldDateFramesByTheKernelUnlessAsked() {
    FrameClock kernel = new FrameClock(blocks, false);
    look(kernel, 3, false);
    assertThat(kernel.timeNs()).isEqualTo(3_000_000_009L);
    assertThat(kernel.flags()).isZero();
    assertThat(kernel.otherClockFrames()).isZero();
  }

  /** Two are the first stamped frame's and the first other's. */
  @Test
  void shouldWriteTwoTimeRecordsIfEverySecondFrameHasAStamp() {
    assertThat(timeRecords(i -> i % 2 == 0)).isEqualTo(2);
  }

  @Test
  void shouldWriteOneTimeRecordIfRowsOfStampsAreTooShort() {
    assertThat(timeRecords(i -> i % MIN_STAMPED_IN_A_ROW != 0)).isEqualTo(1);
  }

  /** Returns how many slots of a ring other records than those of the frames have taken. */
  private long timeRecords(IntPredicate isStamped) {
    RingSpecification oneRing =
        new RingSpecification(1, 15, RingClock.HARDWARE, 1, "test", Optional.empty());
    try (RingSetWriter rings =
            RingSetWriter.create(new RingDirectory(folder), oneRing, WhenFull.DROP);
        RawPacketBatch batch = new RawPacketBatch(FRAMES)) {
      batch.begin(frame);
      for (int i = 0; i < FRAMES; i++) {
        look(card, 1, isStamped.test(i));
        batch.append(0, card.timeNs(), FRAME_BYTES, FRAME_BYTES, 1, card.flags());
      }
      MemorySegment records =
          arena.allocate(FRAMES * PacketRecordLayout.SIZE_BYTES, PacketRecordLayout.SIZE_BYTES);
      ParserLibrary.instance()
          .parse(frame, batch.descriptors(), FRAMES, ParserProfile.SOFTWARE, records);
      rings.write(batch.descriptors(), records, FRAMES);
      return rings.ringFile(0).position() - FRAMES;
    }
  }
}
