// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.RingClock;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A tap in a folder of its own, usually with one ring, and who reads it. */
abstract class OneTap {
  static final long SECOND_NS = 1_000_000_000L;
  static final long START_NS = 1_700_000_000L * SECOND_NS;
  static final int SLOTS_LOG2 = 10;
  static final String PREFIX = "flowstone-test-";

  private final Arena arena = Arena.ofShared();
  RingDirectory directory;
  RingSetWriter writer;
  RecordBatch batch;

  /** Returns an empty folder for the rings, or skips the test. */
  Path newFolder() throws IOException {
    return Files.createTempDirectory(PREFIX);
  }

  @BeforeEach
  void begin() throws IOException {
    directory = new RingDirectory(newFolder());
    batch = new RecordBatch(arena);
    writer = create(1);
  }

  @AfterEach
  void end() {
    if (writer != null) {
      writer.close();
      directory.delete();
    }
    arena.close();
  }

  RingSetWriter create(int rings) {
    return RingSetWriter.create(
        directory,
        new RingSpecification(
            rings, SLOTS_LOG2, RingClock.SYNTHETIC, 128, "test", Optional.empty()),
        WhenFull.DROP);
  }

  RingFile open() {
    return RingFile.open(directory.ringFile(0));
  }

  /** Reads all there is; the numbers of the packets, in order. */
  static List<Integer> drain(RingReader reader) {
    List<Integer> numbers = new ArrayList<>();
    while (true) {
      switch (reader.poll(100)) {
        case PACKETS -> {
          for (int i = 0; i < reader.runCount(); i++) {
            long offset = reader.file().slotOffset(reader.runPosition() + i);
            numbers.add(PacketRecord.sequence(reader.file().slots(), offset));
          }
        }
        case CLOCK -> {}
        case NOTHING, END -> {
          return numbers;
        }
      }
    }
  }

  void write(int packets) {
    batch.fill(packets, START_NS, 1000).writeTo(writer);
  }

  static List<Integer> numbers(int from, int to) {
    return IntStream.range(from, to).boxed().toList();
  }
}
