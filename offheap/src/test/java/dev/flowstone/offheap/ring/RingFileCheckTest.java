// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.RingClock;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RingFileCheckTest {
  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void makeRing() {
    RingDirectory directory = new RingDirectory(folder);
    RingSpecification specification =
        new RingSpecification(1, 10, RingClock.WALL, 128, "test", Optional.empty());
    RingSetWriter.create(directory, specification, WhenFull.DROP).close();
    file = directory.ringFile(0);
  }

  private void patch(long offset, int... bytes) throws IOException {
    try (RandomAccessFile random = new RandomAccessFile(file.toFile(), "rw")) {
      random.seek(offset);
      for (int value : bytes) {
        random.write(value);
      }
    }
  }

  @Test
  void shouldOpenWhatATapMade() {
    try (RingFile ring = RingFile.open(file)) {
      assertThat(ring.identity().tapName()).isEqualTo("test");
      assertThat(ring.identity().slotCount()).isEqualTo(1024);
    }
  }

  @Test
  void shouldNameAMissingFile() {
    assertThatThrownBy(() -> RingFile.open(folder.resolve("none.ring")))
        .hasMessageContaining("no such ring file");
  }

  @Test
  void shouldRefuseAForeignFile() throws IOException {
    patch(0, 1, 2, 3);
    assertThatThrownBy(() -> RingFile.open(file)).hasMessageContaining("not a ring file");
  }

  @Test
  void shouldNameAnotherLayoutVersion() throws IOException {
    patch(RingFileHeaderLayout.ABI_VERSION_OFFSET, 99);
    assertThatThrownBy(() -> RingFile.open(file)).hasMessageContaining("layout version 99");
  }

  @Test
  void shouldRefuseATruncatedFile() throws IOException {
    try (RandomAccessFile random = new RandomAccessFile(file.toFile(), "rw")) {
      random.setLength(random.length() - 1);
    }
    assertThatThrownBy(() -> RingFile.open(file)).hasMessageContaining("truncated");
    Files.write(file, new byte[100]);
    assertThatThrownBy(() -> RingFile.open(file)).hasMessageContaining("too few");
  }

  @Test
  void shouldNotBelieveMoreSlotsThanTheFileHas() throws IOException {
    patch(RingFileHeaderLayout.SLOTS_LOG2_OFFSET, 30);
    assertThatThrownBy(() -> RingFile.open(file)).hasMessageContaining("truncated");
    patch(RingFileHeaderLayout.SLOTS_LOG2_OFFSET, 63);
    assertThatThrownBy(() -> RingFile.open(file)).hasMessageContaining("damaged header");
  }

  /**
   * Whatever another process writes into the header, reading ends with data, nothing or an error.
   */
  @Test
  void shouldSurviveAnyHeader() throws IOException {
    long seed = Long.getLong("flowstone.seed", System.nanoTime());
    System.out.println("RingFileCheckTest: seed " + seed + "; again with -Dflowstone.seed=" + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 2000; i++) {
      int offset = random.nextInt(64, 2500);
      patch(offset, random.nextInt(256), random.nextInt(256));
      try (RingFile ring = RingFile.open(file)) {
        GatingReader reader = new GatingReader(ring, "reader", RingStart.OLDEST);
        for (int poll = 0; poll < 5; poll++) {
          reader.poll(64);
        }
      } catch (RingFileException expected) {
        assertThat(expected.getMessage()).as("seed %d", seed).contains(file.toString());
      }
      makeRingAgain(i);
    }
  }

  private void makeRingAgain(int i) throws IOException {
    if (i % 20 == 0) {
      Files.delete(file);
      makeRing();
    }
  }
}
