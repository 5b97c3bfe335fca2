// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Records that stood in another ring, copied by the run. */
class RingAppenderTest extends OneTap {
  private static final int SLOTS = 1 << SLOTS_LOG2;

  private RingAppender appender;

  @BeforeEach
  void take() {
    appender = writer.appender(0);
  }

  private int append(int first, int count, long baseNs) {
    return appender.append(
        batch.records, first * PacketRecordLayout.SIZE_BYTES, count, baseNs, true);
  }

  private int append(int count) {
    batch.fill(count, START_NS, 1000);
    return append(0, count, START_NS);
  }

  @Test
  void shouldCopyRecordsWithGenerationsOfTheirOwn() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      List<Integer> read = new ArrayList<>();
      for (int round = 0; round < 30; round++) {
        assertThat(append(300)).isEqualTo(300);
        read.addAll(drain(reader)); // which holds each run's generation against the one expected
        reader.release(reader.position());
      }
      assertThat(read).isEqualTo(numbers(0, 9000));
      assertThat(file.counters().offeredPackets()).isEqualTo(9000);
      assertThat(file.counters().writtenPackets()).isEqualTo(9000);
      assertThat(file.counters().offeredBytes()).isEqualTo(900_000);
      assertThat(reader.unexplainedPackets()).isZero();
    }
  }

  @Test
  void shouldLeaveAloneAllOfARecordButItsGeneration() {
    append(700);
    batch.fill(1, START_NS, 1000);
    batch.records.set(
        RingHeader.LONG, PacketRecordLayout.SOURCE_ADDRESS_OFFSET, 0x0123456789ABCDEFL);
    append(0, 1, START_NS);
    try (RingFile file = open()) {
      long at = file.slotOffset(701);
      int copied = PacketRecord.descriptor(file.slots(), at);
      int original = PacketRecord.descriptor(batch.records, 0);
      assertThat(copied & 0x1FFF_FFFF).isEqualTo(original & 0x1FFF_FFFF);
      assertThat(PacketRecord.generation(copied)).isEqualTo(1);
      assertThat(
              file.slots()
                  .asSlice(at, PacketRecordLayout.DESCRIPTOR_OFFSET)
                  .mismatch(batch.records.asSlice(0, PacketRecordLayout.DESCRIPTOR_OFFSET)))
          .isEqualTo(-1);
    }
  }

  @Test
  void shouldTellATimeBaseBeforeThePacketsThatCountFromIt() {
    append(10);
    batch.fill(10, START_NS + 3 * SECOND_NS, 1000);
    append(0, 10, START_NS + 3 * SECOND_NS);
    append(0, 10, START_NS + 3 * SECOND_NS);
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      assertThat(reader.poll(100)).isEqualTo(RingReader.Poll.CLOCK);
      assertThat(reader.poll(100)).isEqualTo(RingReader.Poll.PACKETS);
      assertThat(reader.runCount()).isEqualTo(10);
      assertThat(reader.poll(100)).isEqualTo(RingReader.Poll.CLOCK);
      assertThat(reader.time().baseNs()).isEqualTo(START_NS + 3 * SECOND_NS);
      assertThat(reader.poll(100)).isEqualTo(RingReader.Poll.PACKETS);
      assertThat(reader.runCount()).isEqualTo(20);
      assertThat(reader.unexplainedPackets()).isZero();
    }
  }

  @Test
  void shouldTakeWhatThereIsRoomForAndTheRestLater() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      int first = append(1500);
      assertThat(first).isEqualTo(SLOTS - 1 - 4); // a clock mark, and four that stay free
      assertThat(file.counters().offeredPackets()).isEqualTo(first);
      assertThat(append(first, 1500 - first, START_NS)).isZero();
      List<Integer> read = drain(reader);
      reader.release(reader.position());
      assertThat(append(first, 1500 - first, START_NS)).isEqualTo(1500 - first);
      read.addAll(drain(reader));
      assertThat(read).isEqualTo(numbers(0, 1500));
      assertThat(reader.lost().inRing()).isZero();
    }
  }

  @Test
  void shouldTellWhatItDropsBeforeWhatFollows() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      int first = append(1500);
      appender.drop(batch.records, first * PacketRecordLayout.SIZE_BYTES, 1500 - first, START_NS);
      assertThat(file.counters().droppedPackets()).isEqualTo(1500 - first);
      assertThat(file.counters().offeredPackets()).isEqualTo(1500);
      assertThat(file.counters().offeredBytes()).isEqualTo(150_000);
      assertThat(drain(reader)).isEqualTo(numbers(0, first));
      reader.release(reader.position());
      append(5);
      assertThat(drain(reader)).isEqualTo(numbers(1500, 1505));
      assertThat(reader.lost().inRing()).isEqualTo(1500 - first);
      assertThat(reader.unexplainedPackets()).isZero();
    }
  }

  @Test
  void shouldTellLossesBeforeTheTap() {
    append(5);
    appender.lostBeforeTap(7, START_NS);
    append(5);
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      assertThat(drain(reader)).hasSize(10);
      assertThat(reader.lost().beforeTap()).isEqualTo(7);
      assertThat(file.counters().lostBeforeTapRecorded()).isEqualTo(7);
    }
  }

  @Test
  void shouldHaveAClockMarkWithinReachOfEveryPlace() {
    writer.close();
    writer =
        RingSetWriter.create(
            directory,
            new RingSpecification(1, 18, 0, 128, "test", java.util.Optional.empty()),
            WhenFull.DROP);
    appender = writer.appender(0);
    for (int i = 0; i < 50; i++) {
      append(4000);
    }
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      assertThat(drain(reader)).isEqualTo(numbers(0, 200_000));
      assertThat(file.position()).isEqualTo(200_000 + 4);
      assertThat(reader.unexplainedPackets()).isZero();
    }
  }

  @Test
  void shouldAddUpWhateverComesInWhateverOrder() {
    long seed = Long.getLong("flowstone.seed", System.nanoTime());
    System.out.println("RingAppenderTest: seed " + seed + "; again with -Dflowstone.seed=" + seed);
    Random random = new Random(seed);
    long offered = 0;
    long beforeTap = 0;
    long timeNs = START_NS;
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      int read = 0;
      for (int i = 0; i < 5000; i++) {
        timeNs += random.nextInt(4) == 0 ? random.nextLong(2 * SECOND_NS) : 0;
        switch (random.nextInt(8)) {
          case 0, 1, 2, 3 -> {
            int count = 1 + random.nextInt(700);
            batch.fill(count, timeNs, 1);
            int taken = append(0, count, timeNs);
            if (taken < count) {
              appender.drop(
                  batch.records, taken * PacketRecordLayout.SIZE_BYTES, count - taken, timeNs);
            }
            offered += count;
          }
          case 4 -> appender.heartbeat(timeNs, true);
          case 5 -> {
            beforeTap += 3;
            appender.lostBeforeTap(3, timeNs);
          }
          default -> {
            read += drain(reader).size();
            reader.release(reader.position());
          }
        }
      }
      writer.end();
      read += drain(reader).size();
      assertThat(read + reader.lost().inRing()).as("seed %d", seed).isEqualTo(offered);
      assertThat(reader.lost().beforeTap()).as("seed %d", seed).isEqualTo(beforeTap);
      assertThat(reader.unexplainedPackets()).as("seed %d", seed).isZero();
    }
  }
}
