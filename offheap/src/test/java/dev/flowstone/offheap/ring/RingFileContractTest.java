// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.StreamNumber;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a ring file promises, whatever file system holds it. */
abstract class RingFileContractTest extends OneTap {
  @Test
  void shouldHandOverEveryPacketInOrder() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      write(300);
      write(200);
      writer.end();

      assertThat(drain(reader)).isEqualTo(numbers(0, 500));
      assertThat(reader.poll(1)).isEqualTo(RingReader.Poll.END);
      assertThat(reader.lost().inRing()).isZero();
    }
  }

  @Test
  void shouldGoRoundManyTimes() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      int next = 0;
      for (int lap = 0; lap < 50; lap++) {
        write(700);
        assertThat(drain(reader)).isEqualTo(numbers(next, next + 700));
        next += 700;
        reader.release(reader.progress().position());
      }
      assertThat(file.counters().droppedPackets()).isZero();
      assertThat(file.position()).isGreaterThan(30 * file.identity().slotCount());
    }
  }

  @Test
  void shouldDropCountAndRecordLossWhenFull() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      write(3000);
      RingCounters full = file.counters();
      assertThat(full.droppedPackets()).isPositive();
      assertThat(full.offeredPackets()).isEqualTo(3000);
      assertThat(full.offeredPackets()).isEqualTo(full.writtenPackets() + full.droppedPackets());

      int kept = drain(reader).size();
      reader.release(reader.progress().position());
      write(10);
      writer.end();
      List<Integer> after = drain(reader);

      assertThat(after).isEqualTo(numbers(3000, 3010));
      assertThat(reader.lost().inRing()).isEqualTo(full.droppedPackets()).isEqualTo(3000 - kept);
      assertThat(file.counters().lostRecorded()).isEqualTo(full.droppedPackets());
    }
  }

  @Test
  void shouldGoOnWhereAnEarlierReaderStopped() {
    RingProgress progress;
    try (RingFile file = open()) {
      GatingReader first = new GatingReader(file, "job", RingStart.OLDEST);
      write(100);
      first.poll(40);
      first.poll(40);
      progress = first.progress();
      first.release(progress.position());
    }
    write(100);
    try (RingFile file = open()) {
      GatingReader second = new GatingReader(file, "job", new RingStart.Resume(progress));
      writer.end();
      int read = drain(second).size();
      assertThat(progress.books().accountedPackets() + read).isEqualTo(200);
      assertThat(second.lost().inRing()).isZero();
      assertThat(file.lanes().occupants()).hasSize(1);
    }
  }

  @Test
  void shouldSayExactlyWhatWasMissedAcrossProducerRestarts() {
    RingProgress progress;
    try (RingFile file = open()) {
      GatingReader first = new GatingReader(file, "job", RingStart.OLDEST);
      write(100);
      first.poll(1);
      first.poll(30);
      progress = first.progress();
      assertThat(progress.books().accountedPackets()).isEqualTo(30);
      write(11);
    }
    writer.close();
    writer = create(1);
    write(7);
    writer.close();
    writer = create(1);
    write(5);
    writer.end();
    try (RingFile file = open()) {
      GatingReader second = new GatingReader(file, "job", new RingStart.Resume(progress));
      assertThat(drain(second)).hasSize(5);
      assertThat(second.lost().inRing()).isEqualTo(111 - 30 + 7);
    }
  }

  @Test
  void shouldBeTheOwnersAlone() throws IOException {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.ringFile(0))))
        .isEqualTo("rw-------");
  }

  /** Closing what the second tap opened must not give the first one's lock away. */
  @Test
  void shouldRefuseASecondTapAgainAndAgain() {
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> create(1)).hasMessageContaining("another tap");
      assertThat(directory.hasTap()).isTrue();
    }
    writer.close();
    assertThat(directory.hasTap()).isFalse();
    writer = create(1);
    assertThat(directory.hasTap()).isTrue();
  }

  @Test
  void shouldKeepItsStreamNumbersOverRestartsWithAnyNumberOfRings() {
    long first = writer.ringFile(0).identity().stream();
    assertThat(first).isPositive();
    for (int rings : new int[] {4, 2, 3}) {
      writer.close();
      writer = create(rings);
      for (int ring = 0; ring < rings; ring++) {
        long stream = writer.ringFile(ring).identity().stream();
        assertThat(stream).isEqualTo(StreamNumber.of(StreamNumber.tap(first), ring));
        assertThat(StreamNumber.ring(stream)).isEqualTo(ring);
      }
    }
    writer.close();
    directory.delete();
    writer = create(1);
    assertThat(writer.ringFile(0).identity().stream()).as("a new folder").isNotEqualTo(first);
  }
}
