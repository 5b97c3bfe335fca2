// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.PacketRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a ring tells besides packets. */
class RingTimesAndLossesTest extends OneTap {
  @Test
  void shouldTellTheTimeOfEveryPacketAcrossSteps() {
    long[] times = {
      START_NS,
      START_NS + 1,
      START_NS + 999_999_999,
      START_NS + 100 * SECOND_NS,
      START_NS + 100 * SECOND_NS - 5,
      START_NS - 3000 * SECOND_NS,
      0,
      1L << 32,
      (1L << 62) + 7
    };
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      batch.clear();
      for (long time : times) {
        batch.add(1, time, true);
      }
      batch.writeTo(writer);

      List<Long> read = new ArrayList<>();
      while (true) {
        RingReader.Poll poll = reader.poll(10);
        if (poll == RingReader.Poll.NOTHING) {
          break;
        }
        for (int i = 0; poll == RingReader.Poll.PACKETS && i < reader.runCount(); i++) {
          long offset = file.slotOffset(reader.runPosition() + i);
          int timeLow = PacketRecord.timeLow(file.slots(), offset);
          read.add(PacketRecord.timeNs(timeLow, reader.time().baseNs()));
        }
      }
      assertThat(read).containsExactly(Arrays.stream(times).boxed().toArray(Long[]::new));
    }
  }

  @Test
  void shouldSayWhichPacketsHaveNoTime() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      batch.clear().add(1, START_NS, true).add(1, START_NS, false).add(1, START_NS, true);
      batch.writeTo(writer);
      List<Boolean> trusted = new ArrayList<>();
      RingReader.Poll poll;
      while ((poll = reader.poll(10)) != RingReader.Poll.NOTHING) {
        if (poll == RingReader.Poll.PACKETS) {
          trusted.add(reader.time().isTrusted());
        }
      }
      assertThat(trusted).containsExactly(true, false, true);
    }
  }

  /** A time of 0 would be 1970. */
  @Test
  void shouldTellNoTimeThatNobodyKnowsWhenItEnds() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      writer.end();
      assertThat(reader.poll(1)).isEqualTo(RingReader.Poll.END);
      assertThat(reader.time().isKnown()).isFalse();
      assertThat(reader.time().baseNs()).isEqualTo(RingTime.NEVER);
    }
  }

  @Test
  void shouldEndARingWithoutPacketsWithTheTimeOfTheOthers() {
    writer.close();
    writer = create(4);
    batch.clear().add(flowOf(1), START_NS, true).add(flowOf(2), START_NS + SECOND_NS, false);
    batch.writeTo(writer);
    writer.end();
    assertThat(IntStream.range(0, 4).mapToObj(this::lastTimeOf))
        .containsExactly(
            new RingTime(START_NS, true, true),
            new RingTime(START_NS, true, true),
            new RingTime(START_NS + SECOND_NS, true, false),
            new RingTime(START_NS, true, true));
  }

  /** It would be told as if it were the packets' own. */
  @Test
  void shouldNotEndARingWithATimeThatNobodyTrusts() {
    writer.close();
    writer = create(4);
    batch.clear().add(flowOf(1), 0, false).writeTo(writer);
    writer.lostBeforeTap(5, 0);
    writer.end();
    assertThat(lastTimeOf(0)).isEqualTo(RingTime.UNKNOWN);
    assertThat(lastTimeOf(1)).isEqualTo(new RingTime(0, true, false));
  }

  /** A flow hash that leads to one of four rings. */
  private static int flowOf(int ring) {
    return IntStream.iterate(1, hash -> hash + 1)
        .filter(hash -> KeyGroups.keyGroup(hash, 128) * 4 / 128 == ring)
        .findFirst()
        .orElseThrow();
  }

  private RingTime lastTimeOf(int ring) {
    try (RingFile file = RingFile.open(directory.ringFile(ring))) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      drain(reader);
      return reader.time();
    }
  }

  @Test
  void shouldFindManyControlRecordsBeyondTheIndex() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      batch.clear();
      for (int i = 0; i < 400; i++) {
        batch.add(1, START_NS + i * 2L * SECOND_NS, true);
      }
      batch.writeTo(writer);
      writer.end();
      assertThat(drain(reader)).isEqualTo(numbers(0, 400));
    }
  }

  @Test
  void shouldFindRoomForTheLastLossEvenWhenFull() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      write(3000);
      writer.end();
      int kept = drain(reader).size();

      assertThat(kept + reader.lost().inRing()).isEqualTo(3000);
      assertThat(file.position()).isLessThanOrEqualTo(file.identity().slotCount());
    }
  }

  @Test
  void shouldTellLossesBeforeTheTapApartFromThoseOfAFullRing() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      write(10);
      writer.lostBeforeTap(7, START_NS);
      write(3000);
      writer.lostBeforeTap(2, START_NS);
      writer.end();
      int kept = drain(reader).size();

      assertThat(reader.lost().beforeTap()).isEqualTo(9);
      assertThat(reader.lost().inRing()).isPositive();
      assertThat(kept + reader.lost().inRing()).isEqualTo(3010);
      assertThat(reader.unexplainedPackets()).isZero();
      RingCounters counters = file.counters();
      assertThat(counters.lostBeforeTap()).isEqualTo(9);
      assertThat(counters.lostBeforeTapRecorded()).isEqualTo(9);
      assertThat(counters.offeredPackets())
          .isEqualTo(counters.writtenPackets() + counters.droppedPackets());
    }
  }

  @Test
  void shouldTellALossBeforeTheTapBeforeTheNextPacket() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      write(10);
      writer.lostBeforeTap(7, START_NS);
      write(10);
      assertThat(reader.poll(100)).isEqualTo(RingReader.Poll.CLOCK);
      assertThat(reader.poll(100)).isEqualTo(RingReader.Poll.PACKETS);
      assertThat(reader.takeUnreportedLoss()).isEqualTo(PacketLoss.NONE);
      assertThat(reader.poll(100)).isEqualTo(RingReader.Poll.PACKETS);
      assertThat(reader.runCount()).isEqualTo(10);
      assertThat(reader.takeUnreportedLoss()).isEqualTo(new PacketLoss(0, 7));
    }
  }

  @Test
  void shouldSayWhatFormerTapsNeverSawAcrossRestarts() {
    RingProgress progress;
    try (RingFile file = open()) {
      GatingReader first = new GatingReader(file, "job", RingStart.OLDEST);
      writer.lostBeforeTap(5, START_NS);
      write(10);
      drain(first);
      progress = first.progress();
      writer.lostBeforeTap(6, START_NS);
      write(1);
    }
    writer.close();
    writer = create(1);
    writer.lostBeforeTap(20, START_NS);
    write(1);
    writer.end();
    try (RingFile file = open()) {
      GatingReader second = new GatingReader(file, "job", new RingStart.Resume(progress));
      drain(second);
      assertThat(second.lost()).isEqualTo(new PacketLoss(1, 5 + 6 + 20));
    }
  }
}
